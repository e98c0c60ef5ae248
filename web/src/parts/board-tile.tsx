import { Bot, FolderClosed, GitBranch, Hand, Play, SquareTerminal } from "lucide-react"
import { memo, type ReactNode } from "react"
import type { OpenCall, Reason, Tile } from "@/api/schema"
import { cost, several } from "@/blocks/text/figures"
import { seen, seenLine } from "@/blocks/text/seen"
import { Ago } from "@/ui/time"
import { tip } from "@/ui/tooltip"
import { AlertLines } from "./alert-lines"
import { ContextGauge } from "./context-gauge"
import { PlaceLink } from "./place-link"
import { addressOf } from "./places"

const MAX_CALLS = 3

/**
 * A conversation on the board. The whole tile leads to it; its alerts lead to the records that show them. `progress`
 * replaces the line that says how far it is.
 */
export const BoardTile = memo(function BoardTile({ tile, progress }: { tile: Tile; progress?: ReactNode }) {
  const title = seenLine(tile.title)
  return (
    <article className="relative flex flex-col gap-1 rounded-md border border-line bg-surface px-2.5 py-2 shadow-xs focus-within:border-line-strong hover:border-line-strong compact:gap-0.5 compact:py-1.5">
      <h3 className="min-w-0 font-medium">
        <PlaceLink
          href={addressOf(tile.name)}
          dir="auto"
          className="line-clamp-2 break-words after:absolute after:inset-0 after:rounded-md focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus"
          {...tip(seen(tile.title))}
        >
          {title || "Untitled"}
        </PlaceLink>
      </h3>
      <Place tile={tile} />
      {tile.reasons.map((reason) => (
        <ReasonLine key={`${reason.kind} ${reason.request ?? ""} ${reason.call ?? ""}`} reason={reason} />
      ))}
      {tile.calls.slice(-MAX_CALLS).map((call) => (
        <CallLine key={call.call} call={call} />
      ))}
      {tile.calls.length > MAX_CALLS ? <p className="text-sm text-ink-3">{tile.calls.length - MAX_CALLS} more calls are open</p> : null}
      {progress ?? (tile.progress === null ? null : <p className="line-clamp-2 text-sm break-words text-ink-2">{seenLine(tile.progress)}</p>)}
      <AlertLines name={tile.name} alerts={tile.alerts} />
      <Figures tile={tile} />
    </article>
  )
})

function Place({ tile: { workspace_name, branch, folder, agent } }: { tile: Tile }) {
  const where = [seen(folder ?? workspace_name), branch === null ? null : `on ${seen(branch)}`, `agent ${seen(agent)}`]
  return (
    <p className="flex min-w-0 items-center gap-1.5 text-sm text-ink-2" {...tip(where.filter((part) => part !== null).join("\n"))}>
      <FolderClosed aria-hidden className="size-3 shrink-0 text-ink-3" />
      <span className="truncate">{seenLine(workspace_name)}</span>
      {branch === null || branch === "" ? null : (
        <>
          <GitBranch aria-hidden className="size-3 shrink-0 text-ink-3" />
          <span className="min-w-0 truncate">{seenLine(branch)}</span>
        </>
      )}
    </p>
  )
}

function ReasonLine({ reason }: { reason: Reason }) {
  return (
    <p className="flex min-w-0 items-start gap-1.5 text-sm font-medium text-waiting">
      <Hand aria-hidden className="mt-1 size-3 shrink-0" />
      <span className="min-w-0 break-words">{seenLine(reason.text)}</span>
      <Ago iso={reason.since} className="ml-auto shrink-0 font-normal" />
    </p>
  )
}

function CallLine({ call }: { call: OpenCall }) {
  const text = seenLine(call.text)
  return (
    <p className="flex min-w-0 items-start gap-1.5 text-sm text-ink-2" {...tip(`${seenLine(call.tool)}: ${text}`)}>
      <SquareTerminal aria-hidden className="mt-1 size-3 shrink-0 animate-breathe text-running" />
      <span className="line-clamp-2 min-w-0 break-words">
        <span className="font-medium">{seenLine(call.tool)}</span> {text}
      </span>
      <Ago iso={call.since} className="ml-auto shrink-0 text-ink-3" />
    </p>
  )
}

/** Run or pane, sub-agents, context, cost, and how long nothing came. */
function Figures({ tile }: { tile: Tile }) {
  const { run, pane, sub_agents, sub_agents_at_work, context, cost_usd, is_lower_bound } = tile
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-0.5 text-xs text-ink-3 tabular-nums">
      {run === null ? null : (
        <span className="inline-flex items-center gap-1" {...tip(`Run by Chorus: ${seenLine(run.state)}`)}>
          <Play aria-hidden className="size-2.5 fill-current" />
          <span className="sr-only">run by Chorus, </span>
          {seenLine(run.state)}
        </span>
      )}
      {pane === null ? null : (
        <span className="inline-flex min-w-0 items-center gap-1" {...tip(`Terminal: ${seenLine(pane)}`)}>
          <SquareTerminal aria-hidden className="size-3 shrink-0" />
          <span className="truncate">{seenLine(pane)}</span>
        </span>
      )}
      {sub_agents === 0 ? null : (
        <span className="inline-flex items-center gap-1" {...tip(`${sub_agents_at_work} of ${several(sub_agents, "sub-agent")} at work`)}>
          <Bot aria-hidden className="size-3" />
          {sub_agents_at_work > 0 ? `${sub_agents_at_work}/${sub_agents}` : sub_agents}
          <span className="sr-only"> sub-agents</span>
        </span>
      )}
      <ContextGauge context={context} isNarrow />
      {cost_usd === null ? null : <span>{`${is_lower_bound ? "≥" : ""}${cost(cost_usd)}`}</span>}
      <span className="ml-auto">
        <span className="sr-only">last sign </span>
        <Ago iso={tile.last_at} />
      </span>
    </p>
  )
}
