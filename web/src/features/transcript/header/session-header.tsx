import { CirclePlay, Ellipsis, FileDiff, Files, GitBranch, Link, ListTree, PanelRight, Search, Share2, SquareTerminal, Star } from "lucide-react"
import type { ReactNode } from "react"
import { useIsExported } from "@/api/follow"
import type { ConversationDetail } from "@/api/schema"
import { useTile } from "@/api/use-board"
import { count, duration, elapsed, several } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { useAnnotate, useStar } from "@/parts/annotating"
import { Tags } from "@/parts/annotation-marks"
import { AlertLines } from "@/parts/alert-lines"
import { ContextGauge } from "@/parts/context-gauge"
import { changesAddressOf, filesAddressOf } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { modelsInShort } from "@/parts/model-name"
import { currentProgress } from "@/parts/progress"
import { ProgressLines } from "@/parts/progress-line"
import { resumeCommand } from "@/parts/resume-command"
import { costInFull, costInShort, tokensInAll, tokensInFull } from "@/parts/spending"
import { useShare } from "@/parts/sharing"
import { StatusMark } from "@/parts/status-mark"
import { useActivity } from "@/parts/use-activity"
import { IconButton } from "@/ui/button"
import { CopyButton } from "@/ui/copy-button"
import { cx } from "@/ui/cx"
import { useKeys } from "@/ui/keys"
import { useNow } from "@/ui/now"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"
import { PaneLink } from "./pane-link"
import type { PutShowing, Showing } from "../showing"

/** The header of a conversation: its title, its facts, and buttons. */
export function SessionHeader({
  detail,
  address,
  showing: { isOutline, isPanel, isReplay },
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
  const share = useShare()
  const isExported = useIsExported()
  useKeys({ "*": () => (isExported ? undefined : star(summary)), ".": () => (isExported ? undefined : annotate(summary)) })
  const resume = resumeCommand(summary.id, summary.folder)
  const activity = useActivity(summary)
  const progress = currentProgress(summary, activity.activity, useNow())
  return (
    <header className="session-header">
      <div className="flex min-w-0 items-center gap-2">
        <IconButton label={isOutline ? "Hide outline" : "Show outline"} keys="O" aria-pressed={isOutline} onClick={() => onShowing({ isOutline: !isOutline })}>
          <ListTree />
        </IconButton>
        <h1 className="session-title" dir="auto" {...tip(seenLine(summary.title))}>
          {seenLine(summary.title) || summary.id}
        </h1>
        <StatusMark {...activity} isWhole />
        <div className="ml-auto flex shrink-0 items-center">
          {isExported ? null : (
            <>
              <IconButton label={summary.is_starred ? "Remove the star" : "Star"} keys="*" aria-pressed={summary.is_starred} className="max-sm:hidden" onClick={() => star(summary)}>
                <Star className={cx(summary.is_starred && "fill-current text-interrupted")} />
              </IconButton>
              <IconButton label="Share" className="max-sm:hidden" onClick={() => share(summary)}>
                <Share2 />
              </IconButton>
              <IconButton label="Rename, tag, note, archive, delete" keys="." onClick={() => annotate(summary)}>
                <Ellipsis />
              </IconButton>
            </>
          )}
          <IconButton label={isReplay ? "Close the player" : "Replay"} keys="V" aria-pressed={isReplay} onClick={() => onShowing({ isReplay: !isReplay })}>
            <CirclePlay />
          </IconButton>
          <IconButton label="Find in conversation" keys="/" onClick={onFind}>
            <Search />
          </IconButton>
          {isExported ? null : (
            <>
              <PageLink href={changesAddressOf(summary.name)} label="Changes">
                <FileDiff />
              </PageLink>
              <PageLink href={filesAddressOf(summary.name)} label="Files over time">
                <Files />
              </PageLink>
            </>
          )}
          {children}
          <span className="flex max-sm:hidden">
            {resume === null || isExported ? null : <CopyButton label={`Copy: ${seenLine(resume)}`} icon={SquareTerminal} text={() => resume} />}
            {isExported ? null : <CopyButton label="Copy link" icon={Link} text={address} />}
          </span>
          <IconButton label={isPanel ? "Hide session panel" : "Show session panel"} keys="S" aria-pressed={isPanel} onClick={() => onShowing({ isPanel: !isPanel })}>
            <PanelRight />
          </IconButton>
        </div>
      </div>
      <Facts detail={detail} />
      {progress === null || isExported ? null : <ProgressLines progress={progress} className="pl-9 max-sm:px-2" />}
      <Alerts name={summary.name} />
    </header>
  )
}

/** What the board says about the conversation: the signs that its agent is stuck. */
function Alerts({ name }: { name: string }) {
  const alerts = useTile(name)?.alerts ?? []
  if (alerts.length === 0) return null
  return (
    <div className="flex flex-col pl-9 max-sm:pl-2">
      <AlertLines name={name} alerts={alerts} />
    </div>
  )
}

/** A link to another page about the conversation, in the form of a button. On a phone, the session panel has it. */
function PageLink({ href, label, children }: { href: string; label: string; children: ReactNode }) {
  return (
    <PlaceLink
      href={href}
      aria-label={label}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors hover:bg-hover hover:text-ink max-sm:hidden [&_svg]:size-4"
      {...tip(label)}
    >
      {children}
    </PlaceLink>
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
        <span className="min-w-0 truncate font-mono text-[length:max(0.71875rem,var(--smallest))]" {...tip(seenLine(summary.folder))}>
          {seenLine(summary.workspace_name)}
        </span>
      )}
      {summary.branch === null ? null : (
        <span className="inline-flex min-w-0 items-center gap-1">
          <GitBranch aria-hidden className="size-3 shrink-0" />
          <span className="truncate">{seenLine(summary.branch)}</span>
        </span>
      )}
      <PaneLink summary={summary} />
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
