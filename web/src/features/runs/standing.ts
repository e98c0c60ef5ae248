/** What can be done with a conversation here. Pure. */

import { isLiving } from "@/api/runs"
import type { ConversationSummary, RunShown } from "@/api/schema"

export type Standing =
  /** A run of Chorus has it open: messages can be sent to it. */
  | { type: "ours"; run: RunShown }
  /** Another client has it open: only a copy can be resumed. */
  | { type: "elsewhere" }
  /** No client has it open: it can be resumed. `ended` is the run of Chorus that ended recently. */
  | { type: "free"; ended: RunShown | null }

export function standingOf(run: RunShown | null, running: ConversationSummary["running"]): Standing {
  if (run !== null && isLiving(run)) return { type: "ours", run }
  return running === null ? { type: "free", ended: run } : { type: "elsewhere" }
}
