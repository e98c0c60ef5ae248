import { expect, test } from "vitest"
import type { MessageRow, PageRow, PieceMoment, ReplayGrowth, ToolCall } from "@/api/schema"
import { messageRow } from "@/testing/messages"
import { toolCall } from "@/testing/calls"
import { rowAsOf } from "./as-of"

const prose = (markdown: string): MessageRow["pieces"][number] => ({ type: "prose", markdown, cut_chars: 0 })
const piece = (shown: string, ended: string | null = null, block = 0): PieceMoment => ({ shown, ended, block })
const page = (row: PageRow["row"], shown: string, ...pieces: PieceMoment[]): PageRow => ({
  key: ["", 0, "", 0, 0, row.id],
  thread: "",
  row,
  places: {},
  moments: { shown, pieces },
})
const at = (id: string, clockMs = 0, growth: ReplayGrowth | null = null) => ({ id, clockMs, growth: () => growth })
const message = (row: PageRow | null): MessageRow => {
  if (row?.row.type !== "message") throw new Error("no message")
  return row.row
}

test("a row is not there before its moment, and is itself after it", () => {
  const row = page(messageRow({ pieces: [prose("hello")] }), "b", piece("b"))
  expect(rowAsOf(row, at("a"))).toBeNull()
  expect(rowAsOf(row, at("b"))).toBe(row)
})

test("later pieces are left out, and facts of the end are not known yet", () => {
  const whole = messageRow({ pieces: [prose("one"), prose("two")], cost_usd: 1, stop_reason: "end_turn" })
  const row = page(whole, "a", piece("a"), piece("c", null, 1))
  expect(message(rowAsOf(row, at("b")))).toMatchObject({ pieces: [{ markdown: "one" }], cost_usd: null, stop_reason: null })
  expect(rowAsOf(row, at("c"))).toBe(row)
})

test("a call has no result before it came", () => {
  const call: ToolCall = { ...toolCall(), id: "t1", state: "done", given: [{ type: "prose", markdown: "result", cut_chars: 0 }], duration_ms: 5, decided_by: "you", permission: "allowed" }
  const row = page(messageRow({ pieces: [call] }), "a", piece("a", "d"))
  expect(message(rowAsOf(row, at("b"))).pieces).toEqual([{ ...call, state: "pending", given: [], duration_ms: null, decided_by: null, permission: null }])
  expect(rowAsOf(row, at("d"))).toBe(row)
})

test("a row that looks the same is the same object", () => {
  const row = page(messageRow({ pieces: [prose("one"), prose("two")] }), "a", piece("a"), piece("c", null, 1))
  expect(rowAsOf(row, at("a"))).toBe(rowAsOf(row, at("b")))
})

test("streamed text comes as it came, before the record with the whole text", () => {
  const growth: ReplayGrowth = { item: "m", block: 0, moment: "b", at_ms: [10, 20, 30], chars: [2, 4, 5] }
  const row = page(messageRow({ pieces: [prose("hello")] }), "d", piece("d"))
  const text = (id: string, ms: number) => {
    const shown = rowAsOf(row, at(id, ms, growth))
    const [first] = shown === null ? [] : message(shown).pieces
    return first?.type === "prose" ? first.markdown : null
  }
  expect(text("a", 5)).toBeNull()
  expect(text("b", 5)).toBeNull()
  expect(text("b", 10)).toBe("he")
  expect(text("c", 29)).toBe("hell")
  expect(text("c", 30)).toBe("hello")
  expect(text("d", 40)).toBe("hello")
})
