import { Bot, Share2, SquareTerminal } from "lucide-react"
import type { ReactNode } from "react"
import { useIsExported } from "@/api/follow"
import type { ConversationDetail, ConversationSummary, McpServer } from "@/api/schema"
import { Plan } from "@/blocks/plan"
import { cost, count, several, size } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { PlaceLink } from "@/parts/place-link"
import { changesAddressOf, filesAddressOf } from "@/parts/places"
import { useShare } from "@/parts/sharing"
import { copiedInShort } from "@/parts/spending"
import { Button } from "@/ui/button"
import { CopyButton } from "@/ui/copy-button"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"
import { cdCommand, resumeCommand } from "@/parts/resume-command"
import { threadName } from "@/parts/thread-name"
import { PaneScreen } from "./pane-screen"

/** The facts of a session, its threads, servers and tools. */
export function SessionPanel({ detail, thread, onThread }: {
  detail: ConversationDetail
  thread: string
  onThread: (thread: string) => void
}) {
  const { summary } = detail
  const isExported = useIsExported()
  const share = useShare()
  const resume = resumeCommand(summary.id, summary.folder)
  const builtIn = detail.tools.filter((tool) => !tool.startsWith("mcp__"))
  return (
    <div className="session-panel">
      {resume === null ? null : (
        <Section title="Resume">
          <p className="copy-line">
            <code>{seenLine(resume)}</code>
            <CopyButton text={resume} label="Copy command" />
          </p>
        </Section>
      )}
      {isExported ? null : <PaneScreen summary={summary} />}
      {isExported ? null : (
        <Section title="Files">
          <p className="flex items-center gap-4">
            <PlaceLink href={filesAddressOf(summary.name)} className="text-accent underline">
              Files over time
            </PlaceLink>
            <PlaceLink href={changesAddressOf(summary.name)} className="text-accent underline">
              Changes
            </PlaceLink>
            <Button className="ml-auto sm:hidden" onClick={() => share(summary)}>
              <Share2 />
              Share
            </Button>
          </p>
        </Section>
      )}
      <Section title="Session">
        <dl className="facts">
          <Fact name="Id" value={summary.id} isCode canCopy />
          <Fact name="Slug" value={detail.slug} />
          <Fact name="Folder" value={summary.folder} isCode canCopy command={cdCommand(summary.folder)} />
          <Fact name="Branch" value={summary.branch} isCode />
          <Fact name="Mode" value={detail.permission_mode} />
          <Fact name="API key" value={detail.api_key_source} />
          <Fact name="Client" value={detail.versions.length > 0 ? detail.versions.join(", ") : null} />
          <Fact name="Models" value={summary.models.length > 0 ? summary.models.join(", ") : null} />
          <Fact name="Recorded" value={size(summary.size_bytes)} />
          {detail.unread > 0 ? <Fact name="Damaged" value={`${several(detail.unread, "record")} could not be read`} isBad /> : null}
        </dl>
      </Section>
      <Section title="Spent">
        <dl className="facts">
          <Fact name="Input" value={`${count(summary.tokens.input)} tokens`} />
          <Fact name="Output" value={`${count(summary.tokens.output)} tokens`} />
          <Fact name="Cache read" value={`${count(summary.tokens.cache_read)} tokens`} />
          <Fact name="Cache written" value={`${count(summary.tokens.cache_creation)} tokens`} />
          {summary.copied ? <Fact name="Copied" value={copiedInShort(summary.copied)} /> : null}
          <Fact name="Computed" value={computed(summary)} />
          <Fact name="Reported" value={summary.reported_usd === null ? null : cost(summary.reported_usd)} />
        </dl>
      </Section>
      {detail.plan === null ? null : (
        <Section title="Plan">
          <Plan block={detail.plan} />
        </Section>
      )}
      {detail.threads.length > 0 ? (
        <Section title="Threads" count={detail.threads.length + 1}>
          <ul className="flex flex-col gap-px">
            <li>
              <button type="button" className="thread" aria-current={thread === "" ? "page" : undefined} onClick={() => onThread("")}>
                <span className="truncate">Main thread</span>
              </button>
            </li>
            {detail.threads.map((each) => (
              <li key={each.id}>
                <button
                  type="button"
                  className="thread"
                  data-nested={each.parent !== "" || undefined}
                  aria-current={thread === each.id ? "page" : undefined}
                  onClick={() => onThread(each.id)}
                >
                  <Bot aria-hidden />
                  <span className="min-w-0 flex-1 truncate">{threadName(each)}</span>
                  <span className="text-ink-3">{each.status ? seenLine(each.status) : each.entries}</span>
                </button>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {detail.mcp_servers.length > 0 ? (
        <Section title="MCP servers" count={detail.mcp_servers.length}>
          <ul className="flex flex-col gap-1">
            {detail.mcp_servers.map((server, index) => (
              <Server key={index} server={server} />
            ))}
          </ul>
        </Section>
      ) : null}
      {detail.tools.length > 0 ? (
        <Section title="Tools" count={detail.tools.length}>
          <ul className="tools">
            {[...builtIn, ...detail.tools.filter((tool) => tool.startsWith("mcp__"))].map((tool, index) => (
              <li key={index} {...tip(seenLine(tool))}>
                {seenLine(tool)}
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
    </div>
  )
}

function computed({ cost_usd, is_lower_bound, why_no_cost }: ConversationSummary): string {
  const reason = why_no_cost === null ? "" : seenLine(why_no_cost)
  if (cost_usd === null) return reason || "no tokens are known"
  return `${is_lower_bound ? "at least " : ""}${cost(cost_usd)}${reason ? ` (${reason})` : ""}`
}

function Section({ title, count: number, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section>
      <h2>
        {title}
        {number === undefined ? null : <span className="ml-1.5 font-normal text-ink-3 tabular-nums">{number}</span>}
      </h2>
      {children}
    </section>
  )
}

function Fact({ name, value, isCode = false, canCopy = false, command = null, isBad = false }: {
  name: string
  value: string | null
  isCode?: boolean
  canCopy?: boolean
  /** A shell command that can be copied as well. */
  command?: string | null
  isBad?: boolean
}) {
  if (value === null || value === "") return null
  return (
    <div>
      <dt>{name}</dt>
      <dd className={cx(isCode && "monospace")} data-tone={isBad ? "failed" : undefined}>
        <span className="min-w-0 break-words">{seenLine(value)}</span>
        {canCopy ? <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} className="-my-1 size-6!" /> : null}
        {command === null ? null : <CopyButton text={command} icon={SquareTerminal} label={`Copy: ${seenLine(command)}`} className="-my-1 size-6!" />}
      </dd>
    </div>
  )
}

function Server({ server }: { server: McpServer }) {
  const status = server.status ?? "unknown"
  return (
    <li className="flex items-center gap-2">
      <span
        aria-hidden
        className={cx(
          "size-2 shrink-0 rounded-full",
          status === "connected" ? "bg-running" : status === "failed" ? "bg-failed" : "bg-interrupted",
        )}
      />
      <span className="min-w-0 flex-1 truncate">{seenLine(server.name)}</span>
      <span className="text-ink-3">{seenLine(status)}</span>
    </li>
  )
}
