/** Rows as they were at a moment: later parts are left out, open calls have no result, growing text is cut. Pure. */

import type { MessageRow, PageRow, PieceMoment, ReplayGrowth, ToolCall } from "@/api/schema"
import { lastUpTo } from "./pace"

type Piece = MessageRow["pieces"][number]

export interface Now {
  /** The id of the moment. */
  id: string
  clockMs: number
  /** Returns how the text of a block grew; null if that was not recorded or is not to be shown. */
  growth: (item: string, block: number) => ReplayGrowth | null
}

const known = new WeakMap<PageRow, { signature: string; row: PageRow | null }>()

/** Returns the rows at a moment. A row that looks the same as before is the same object. */
export function rowsAsOf(rows: readonly PageRow[], now: Now): PageRow[] {
  return rows.flatMap((row) => rowAsOf(row, now) ?? [])
}

export function rowAsOf(row: PageRow, now: Now): PageRow | null {
  const item = row.row
  const calls = item.type === "message" ? item.pieces.map((piece) => piece.type === "call") : [true]
  const seen = row.moments.pieces.map((moment, index) => seenAt(item.id, moment, calls[index] ?? false, now))
  if (row.moments.shown > now.id && seen.every((each) => each === "later")) return null
  if (seen.every((each) => each === "whole")) return row
  const signature = seen.join()
  const last = known.get(row)
  if (last?.signature === signature) return last.row
  const made = rowWith(row, seen)
  known.set(row, { signature, row: made })
  return made
}

/** What is seen of a piece: nothing yet, all of it, a call without its result, or so many characters. */
type Seen = "later" | "whole" | "open" | number

function seenAt(item: string, { shown, ended, block }: PieceMoment, isCall: boolean, now: Now): Seen {
  const growth = block < 0 ? null : now.growth(item, block)
  const hasBegun = growth !== null && growth.moment <= now.id
  if (shown > now.id && !hasBegun) return "later"
  if (isCall) return ended !== null && ended <= now.id ? "whole" : "open"
  const isGrowing = hasBegun && now.clockMs < (growth.at_ms.at(-1) ?? 0)
  return isGrowing ? (growth.chars[lastUpTo(growth.at_ms, now.clockMs)] ?? 0) : "whole"
}

/** Returns the row with what is seen of its pieces; null if that is nothing. */
function rowWith(row: PageRow, seen: readonly Seen[]): PageRow | null {
  const item = row.row
  if (item.type === "orphan") return seen[0] === "later" ? null : row
  if (item.type !== "message") return row
  const pieces = item.pieces.flatMap((piece, index) => pieceWith(piece, seen[index] ?? "whole") ?? [])
  if (pieces.length === 0) return null
  // These facts are known at the end of the message.
  const later = { tokens: null, cost_usd: null, duration_ms: null, stop_reason: null, error: null, is_unfinished: false }
  return { ...row, row: { ...item, ...later, pieces, is_partial: seen.some((each) => typeof each === "number") } }
}

function pieceWith(piece: Piece, seen: Seen): Piece | null {
  if (seen === "later") return null
  if (piece.type === "call") return seen === "whole" ? piece : openCall(piece)
  if (typeof seen !== "number") return piece
  if (seen === 0) return null
  if (piece.type === "prose") return { ...piece, markdown: piece.markdown.slice(0, seen) }
  if (piece.type === "thinking") return { ...piece, text: piece.text.slice(0, seen) }
  return piece
}

/** A call before its result came. */
function openCall(call: ToolCall): ToolCall {
  const agent = call.agent === null ? null : { ...call.agent, status: null }
  return { ...call, state: "pending", given: [], duration_ms: null, permission: null, decided_by: null, agent }
}
