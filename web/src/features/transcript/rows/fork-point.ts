/** The line of a session file after which a copy of the conversation can continue. Pure. */

import type { PageRow } from "@/api/schema"

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Returns the uuid of the last line of a message: one of its own lines, or a result of its calls, which come after
 * them. Returns null for other rows, for other threads, and for a message that is still being written.
 */
export function forkPoint({ row, thread, places }: PageRow): string | null {
  if (row.type !== "message" || row.is_partial || thread !== "") return null
  return Object.keys(places).findLast((id) => UUID.test(id)) ?? null
}
