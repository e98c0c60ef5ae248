/**
 * What a conversation is doing now: according to the client that has it open, else according to its records and their
 * age. Pure.
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
/** A client at work writes more often than this; a longer silence means that it was closed, or hangs. */
export const QUIET_AFTER_MS = 10 * MINUTE_MS
/** People answer late, but an open question from yesterday most likely belongs to a client that was closed. */
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

/** Returns how many sub-agents are at work: none if there was no activity for long, whatever the records say. */
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

/** What the client asks a person for, in its own words; null if it asks for nothing. */
export function waitingFor({ running }: Pick<ConversationSummary, "running">): string | null {
  return running?.status === "waiting" ? running.waiting_for : null
}

/** The conversation with the last report about its client. */
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
 * The conversation with the state of the run that Chorus has for it, which is more reliable than the report of its
 * client. If the run ended, the conversation is not at work, whatever its last record says.
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
  return { ...summary, running: { session: summary.id, pid: client?.pid ?? 0, status, waiting_for: client?.waiting_for ?? null, pane: client?.pane ?? null } }
}
