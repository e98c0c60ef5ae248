/** What can be done with a conversation here. Pure. */

import { isLiving } from "@/api/runs"
import type { ConversationSummary, RunShown } from "@/api/schema"

export type Standing =
  /** An agent of ours has it open: it can be talked to. */
  | { type: "ours"; run: RunShown }
  /** Somebody else's client has it open: only a copy can be gone on with. */
  | { type: "elsewhere" }
  /** Nobody has it open: it can be gone on with. `ended` is the run of ours that ended lately. */
  | { type: "free"; ended: RunShown | null }

export function standingOf(run: RunShown | null, running: ConversationSummary["running"]): Standing {
  if (run !== null && isLiving(run)) return { type: "ours", run }
  return running === null ? { type: "free", ended: run } : { type: "elsewhere" }
}
