/** After which line of the client's own record a copy of the conversation could go on. Pure. */

import type { PageRow } from "@/api/schema"

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The uuid of the last line that says a message: of its own lines, or of what its calls gave back, which come after them.
 * null for what is no message of the main thread, or is still being written.
 */
export function forkPoint({ row, thread, places }: PageRow): string | null {
  if (row.type !== "message" || row.is_partial || thread !== "") return null
  return Object.keys(places).findLast((id) => UUID.test(id)) ?? null
}
