import { Ellipsis, GitBranch, Link, ListTree, PanelRight, Search, SquareTerminal, Star } from "lucide-react"
import type { ReactNode } from "react"
import type { ConversationDetail } from "@/api/schema"
import { count, duration, elapsed, several } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { useAnnotate, useStar } from "@/parts/annotating"
import { Tags } from "@/parts/annotation-marks"
import { modelsInShort } from "@/parts/model-name"
import { resumeCommand } from "@/parts/resume-command"
import { costInFull, costInShort, tokensInAll, tokensInFull } from "@/parts/spending"
import { StatusMark } from "@/parts/status-mark"
import { useActivity } from "@/parts/use-activity"
import { IconButton } from "@/ui/button"
import { CopyButton } from "@/ui/copy-button"
import { cx } from "@/ui/cx"
import { useKeys } from "@/ui/keys"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"
import { ContextGauge } from "./context-gauge"
import type { PutShowing, Showing } from "../showing"

/** The header of a conversation: its title, its facts, and buttons. */
export function SessionHeader({
  detail,
  address,
  showing: { isOutline, isPanel },
  onShowing,
  onFind,
  children,
}: {
  detail: ConversationDetail
  address: () => string
  showing: Showing
  onShowing: PutShowing
  onFind: () => void
  /** The switches. */
  children: ReactNode
}) {
  const { summary } = detail
  const star = useStar()
  const annotate = useAnnotate()
  useKeys({ "*": () => star(summary), ".": () => annotate(summary) })
  const resume = resumeCommand(summary.id, summary.folder)
  return (
    <header className="session-header">
      <div className="flex min-w-0 items-center gap-2">
        <IconButton label={isOutline ? "Hide outline" : "Show outline"} keys="O" aria-pressed={isOutline} onClick={() => onShowing({ isOutline: !isOutline })}>
          <ListTree />
        </IconButton>
        <h1 className="session-title" dir="auto" {...tip(seenLine(summary.title))}>
          {seenLine(summary.title) || summary.id}
        </h1>
        <StatusMark {...useActivity(summary)} isWhole />
        <div className="ml-auto flex shrink-0 items-center">
          <IconButton label={summary.is_starred ? "Remove the star" : "Star"} keys="*" aria-pressed={summary.is_starred} className="max-sm:hidden" onClick={() => star(summary)}>
            <Star className={cx(summary.is_starred && "fill-current text-interrupted")} />
          </IconButton>
          <IconButton label="Rename, tag, note, archive, delete" keys="." onClick={() => annotate(summary)}>
            <Ellipsis />
          </IconButton>
          <IconButton label="Find in conversation" keys="/" onClick={onFind}>
            <Search />
          </IconButton>
          {children}
          <span className="flex max-sm:hidden">
            {resume === null ? null : <CopyButton label={`Copy: ${seenLine(resume)}`} icon={SquareTerminal} text={() => resume} />}
            <CopyButton label="Copy link" icon={Link} text={address} />
          </span>
          <IconButton label={isPanel ? "Hide session panel" : "Show session panel"} keys="S" aria-pressed={isPanel} onClick={() => onShowing({ isPanel: !isPanel })}>
            <PanelRight />
          </IconButton>
        </div>
      </div>
      <Facts detail={detail} />
    </header>
  )
}

function Facts({ detail }: { detail: ConversationDetail }) {
  const { summary } = detail
  const took = elapsed(summary.started_at, summary.ended_at)
  const models = modelsInShort(summary.models)
  const cost = costInShort(summary)
  return (
    <p className="session-facts">
      {summary.folder === null ? null : (
        <span className="min-w-0 truncate font-mono text-[0.71875rem]" {...tip(seenLine(summary.folder))}>
          {seenLine(summary.workspace_name)}
        </span>
      )}
      {summary.branch === null ? null : (
        <span className="inline-flex min-w-0 items-center gap-1">
          <GitBranch aria-hidden className="size-3 shrink-0" />
          <span className="truncate">{seenLine(summary.branch)}</span>
        </span>
      )}
      {summary.tags.length === 0 ? null : (
        <span className="inline-flex items-center gap-1 max-md:hidden">
          <Tags tags={summary.tags} />
        </span>
      )}
      {summary.note === null ? null : (
        <span className="min-w-0 truncate max-md:hidden" {...tip(seen(summary.note))}>
          <span className="sr-only">note: </span>
          {seenLine(summary.note)}
        </span>
      )}
      {models === null ? null : (
        <span className="secondary" {...tip(summary.models.map(seenLine).join("\n"))}>
          {seenLine(models.name)}
          {models.more > 0 ? ` +${models.more}` : ""}
        </span>
      )}
      {summary.started_at === null ? null : (
        <span className="secondary">
          <span className="sr-only">started </span>
          <Ago iso={summary.started_at} />
          {took === null ? "" : ` · ${duration(took)}`}
        </span>
      )}
      <span className="secondary">{several(summary.messages, "message")}</span>
      <span className="secondary">{several(summary.calls, "call")}</span>
      <span className="secondary" {...tip(tokensInFull(summary.tokens))}>{count(tokensInAll(summary.tokens))} tokens</span>
      {cost === null ? null : <span {...tip(costInFull(summary))}>{cost}</span>}
      <ContextGauge context={detail.context} />
    </p>
  )
}
