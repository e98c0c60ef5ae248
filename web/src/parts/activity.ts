/**
 * What a conversation is doing now: what the client says that has it open, and else what its records say, judged by how
 * long ago they said it. Pure.
 */

import type { RunningNow } from "@/api/live"
import { isLiving } from "@/api/runs"
import type { ConversationSummary, Running, RunShown } from "@/api/schema"
import { instant } from "@/ui/when"

export type Activity =
  | "thinking"
  | "reading"
  | "editing"
  | "running"
  | "waiting"
  | "quiet"
  | "done"
  | "failed"
  | "interrupted"
  | "idle"
  | "damaged"

const MINUTE_MS = 60_000
/** A client at work writes more often than this; silence for longer means that it was closed, or hangs. */
export const QUIET_AFTER_MS = 10 * MINUTE_MS
/** People answer late, but a question of yesterday is most likely one of a client that was closed. */
export const FORGOTTEN_AFTER_MS = 12 * 60 * MINUTE_MS

type StatusFacts = Pick<ConversationSummary, "status" | "ended_at" | "running">

export function activityOf({ status, ended_at, running }: StatusFacts, now: number): Activity {
  const last = instant(ended_at)
  const silence = last === null ? Number.POSITIVE_INFINITY : now - last
  if (running?.status === "waiting") return "waiting"
  if (running?.status === "busy") return isAtWork(status) ? status : "thinking"
  if (isAtWork(status)) return silence > QUIET_AFTER_MS ? "quiet" : status
  switch (status) {
    case "waiting for permission":
      return silence > FORGOTTEN_AFTER_MS ? "quiet" : "waiting"
    case "done":
    case "failed":
    case "interrupted":
    case "damaged":
      return status
    default:
      return "idle"
  }
}

/** How many sub-agents are at work: none any more when no sign came for long, whatever the records say. */
export function subAgentsAtWork(
  { sub_agents_at_work, ended_at }: Pick<ConversationSummary, "sub_agents_at_work" | "ended_at">,
  now: number,
): number {
  const last = instant(ended_at)
  return last === null || now - last > QUIET_AFTER_MS ? 0 : sub_agents_at_work
}

export function isAtWork(status: string): status is "thinking" | "reading" | "editing" | "running" {
  return status === "thinking" || status === "reading" || status === "editing" || status === "running"
}

/** What its client asks a person for, in the client's own words; null when it asks for nothing. */
export function waitingFor({ running }: Pick<ConversationSummary, "running">): string | null {
  return running?.status === "waiting" ? running.waiting_for : null
}

/** The conversation with what was last told about its client. */
export function withRunning<Summary extends Pick<ConversationSummary, "id" | "running">>(
  summary: Summary,
  running: RunningNow,
): Summary {
  if (running === null) return summary
  const now = running.get(summary.id) ?? null
  return now === summary.running ? summary : { ...summary, running: now }
}

const AS_TOLD: Partial<Record<RunShown["state"], Running["status"]>> = { waiting: "waiting", idle: "idle" }

/**
 * The conversation with how the agent stands that Chorus runs on it: that is known better than what its client tells.
 * One that ended is at work no more, whatever its last record says.
 */
export function withRun<Summary extends Pick<ConversationSummary, "id" | "running" | "status" | "ended_at">>(
  summary: Summary,
  run: RunShown | null,
): Summary {
  if (run === null) return summary
  if (!isLiving(run)) {
    const isOver = summary.running === null && (isAtWork(summary.status) || summary.status === "waiting for permission")
    const isLater = (instant(summary.ended_at) ?? 0) > (instant(run.ended_at) ?? Number.POSITIVE_INFINITY)
    if (!isOver || isLater) return summary
    return { ...summary, status: run.is_failure || run.state === "lost" ? "failed" : "interrupted" }
  }
  const status = AS_TOLD[run.state] ?? "busy"
  const client = summary.running
  return { ...summary, running: { session: summary.id, pid: client?.pid ?? 0, status, waiting_for: client?.waiting_for ?? null } }
}
