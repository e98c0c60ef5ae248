/** Whether this browser may approve. Pure. */

import type { Approvers } from "@/api/schema"

export type Standing = "approver" | "waiting" | "none"

/** A key that neither approves nor waits does not count: it was removed, or the server no longer knows that it waited. */
export function standingOf({ approvers, waiting }: Pick<Approvers, "approvers" | "waiting">, key: string | null): Standing {
  if (approvers.some(({ id }) => id === key)) return "approver"
  return waiting.some(({ id }) => id === key) ? "waiting" : "none"
}
