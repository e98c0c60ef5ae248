import { expect, test } from "vitest"
import type { ReplayMark } from "@/api/schema"
import { isMoment } from "./address"
import { Axis } from "./pace"
import { activeWords, clockWords, joinedMarks, spanWords } from "./time-line-data"

const mark = (at_ms: number, kind: ReplayMark["kind"], label = ""): ReplayMark => ({ moment: at_ms, id: `${at_ms}`, at_ms, kind, label, item: "", thread: "" })
const lane = { kind: "main" as const, thread: "", label: "main agent", spans: [{ from_ms: 0, to_ms: 5000, kind: "working", label: "", count: 2 }] }

test("marks that lie close together are one mark, named after the most important", () => {
  const groups = joinedMarks([mark(0, "prompt", "Go"), mark(1, "edit", "a.py"), mark(2, "error", "boom"), mark(900, "edit")], new Axis([0, 1000], null), 10)
  expect(groups.map(({ kind, marks }) => [kind, marks.length])).toEqual([["error", 3], ["edit", 1]])
  expect(groups[0]?.words).toBe("Prompt: Go\nFile edit: a.py\nError: boom")
})

test("hidden characters of a label are visible", () => {
  expect(joinedMarks([mark(0, "prompt", "a\u202eb")], new Axis([0, 1], null), 10)[0]?.words).toBe("Prompt: a\\u{202e}b")
})

test("spans and times are said in words", () => {
  expect(lane.spans.map((span) => spanWords(lane, span))).toEqual(["main agent: working, 5.0s, 2 times"])
  expect(activeWords([lane], 4000)).toBe("main agent: working")
  expect(activeWords([lane], 6000)).toBe("")
  expect([7000, 723_000, 3_723_000, -5].map(clockWords)).toEqual(["0:07", "12:03", "1:02:03", "0:00"])
})

test("a moment and a time in the address are for the player, an item is not", () => {
  expect(["2026-03-01T10:00:00.000Z!0!session!000000001234", "!0!session!000000000001", "2026-03-01T10:05", "2026-03-01"].map(isMoment)).toEqual([true, true, true, true])
  expect([null, "toolu_1", "call:toolu_1", "session@12", "d2b0-41"].map(isMoment)).toEqual([false, false, false, false, false])
})
