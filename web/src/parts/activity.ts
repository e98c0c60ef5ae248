/** What a conversation is doing now: what its records say, judged by how long ago they said it. Pure. */

import type { ConversationSummary } from "@/api/schema"
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

type Told = Pick<ConversationSummary, "status" | "ended_at">

export function activityOf({ status, ended_at }: Told, now: number): Activity {
  const last = instant(ended_at)
  const silence = last === null ? Number.POSITIVE_INFINITY : now - last
  switch (status) {
    case "thinking":
    case "reading":
    case "editing":
    case "running":
      return silence > QUIET_AFTER_MS ? "quiet" : status
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

export function isAtWork(activity: Activity): boolean {
  return activity === "thinking" || activity === "reading" || activity === "editing" || activity === "running"
}
