import { useQuery } from "@tanstack/react-query"
import { ArrowUpRight, Bot, ChevronRight } from "lucide-react"
import { useContext, useMemo } from "react"
import { useBackend } from "@/api/follow"
import type { SubAgent } from "@/api/schema"
import { useFold } from "@/blocks/folds"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { Button } from "@/ui/button"
import { Skeleton } from "@/ui/skeleton"
import { daysOf } from "../list/days"
import { rowsAsOf } from "../replay/as-of"
import { useReplayNow } from "../replay/replay-context"
import { RowView } from "../rows/row-view"
import { threadName } from "@/parts/thread-name"
import { AboveContext, useTranscript, WorkContext } from "../transcript-context"

const INLINE = 50
/** What the server calls sub-agents of this machine that have not finished. */
const AT_WORK = ["at work", "at work in the background"]
/** How deep sub-agents inside sub-agents are opened in place; deeper ones open on their own page. */
const DEEPEST = 12

/**
 * A sub-agent below the call `at`: its description and, when it is open, its rows. A record can claim that sub-agents
 * started each other in a circle: a sub-agent that is already open around this one is named, but cannot be opened
 * again.
 */
export function SubAgentCard({ agent, at }: { agent: SubAgent; at: string }) {
  const { thread, openThread } = useTranscript()
  const above = useContext(AboveContext)
  const within = useMemo(() => [...above, { agent: agent.id, at }], [above, agent.id, at])
  const isAround = agent.id === thread || above.some((each) => each.agent === agent.id)
  const why = isAround ? CIRCLE : above.length >= DEEPEST ? DEEP : null
  // The key contains the path to this card: several calls may name one agent, and only this card was opened.
  const [isFoldOpen, put] = useFold("agent", within.map((each) => each.at).join("\n"), false)
  const isOpen = isFoldOpen && why === null
  // Nothing is written when a client is killed: what was at work then would be so for ever.
  const isOver = useContext(WorkContext) === null && AT_WORK.includes(agent.status ?? "")
  const status = isOver ? "not known to have finished" : agent.status
  return (
    <div role="group" className="agent-card" aria-label={`Sub-agent ${threadName(agent)}`}>
      <div className="agent-head">
        <button
          type="button"
          className="agent-line"
          aria-expanded={why === null ? isOpen : undefined}
          disabled={why !== null}
          onClick={() => put(!isOpen)}
        >
          <Bot aria-hidden className="call-icon" />
          <span className="call-title">
            <span className="font-medium">{seenLine(agent.kind) || "Sub-agent"}</span>
            {agent.description ? ` ${seenLine(agent.description)}` : ""}
          </span>
          {agent.is_background ? <Badge tone="outline">in the background</Badge> : null}
          {status ? <Badge tone={status === "failed" ? "failed" : "plain"}>{seenLine(status)}</Badge> : null}
          {agent.entries > 0 ? <span className="call-facts">{several(agent.entries, "entry", "entries")}</span> : null}
          {why === null ? <ChevronRight aria-hidden className="fold-mark" /> : null}
        </button>
        <Button kind="quiet" size="sm" onClick={() => openThread(agent.id)}>
          Open thread
          <ArrowUpRight aria-hidden />
        </Button>
      </div>
      {why === null ? null : (
        <div className="px-3 pb-2">
          <p className="note" data-cut="agent">
            {why}
          </p>
        </div>
      )}
      {isOpen ? (
        <AboveContext value={within}>
          <AgentRows agent={agent} at={at} />
        </AboveContext>
      ) : null}
    </div>
  )
}

const CIRCLE = "The record goes in a circle here: these rows are already part of this sub-agent."
const DEEP = "Nested too deep to be opened here: open its thread."

/** The rows that the call `at` led to: the whole thread, unless other calls resumed the sub-agent as well. */
function AgentRows({ agent, at }: { agent: SubAgent; at: string }) {
  const backend = useBackend()
  const { name, openThread } = useTranscript()
  const { data, error, refetch } = useQuery({
    queryKey: ["thread", name, agent.id, at],
    queryFn: ({ signal }) => backend.rows(name, { thread: agent.id, call: at, after: "", limit: INLINE }, signal),
  })
  const now = useReplayNow()
  const rows = useMemo(() => (now === null ? (data?.rows ?? []) : rowsAsOf(data?.rows ?? [], now)), [data, now])
  const days = useMemo(() => daysOf(rows.map((row) => row.row.time), false), [rows])
  if (error) {
    return (
      <p className="note note-error">
        {error.message}
        <Button size="sm" onClick={() => void refetch()}>
          Try again
        </Button>
      </p>
    )
  }
  if (data === undefined) return <Skeleton className="m-3 h-16" />
  if (rows.length === 0) {
    return (
      <div className="p-3">
        <p className="note">{now === null ? "Nothing of this sub-agent is in the record." : "It has not begun at this moment."}</p>
      </div>
    )
  }
  return (
    <div className="agent-rows">
      {rows.map((row, index) => (
        <RowView key={row.row.id} row={row} before={rows[index - 1]} day={days[index]} />
      ))}
      {data.after === null ? null : (
        <Button className="self-start" onClick={() => openThread(agent.id)}>
          Open the whole thread
          <ArrowUpRight aria-hidden />
        </Button>
      )}
    </div>
  )
}
