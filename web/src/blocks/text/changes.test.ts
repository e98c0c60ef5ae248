import { describe, expect, it } from "vitest"
import { changedLines, tally, type ChangedLine } from "./changes"

function drawn(line: ChangedLine): string {
  let text = ""
  let at = 0
  for (const [from, to] of line.marks) {
    text += `${line.text.slice(at, from)}[${line.text.slice(from, to)}]`
    at = to
  }
  return text + line.text.slice(at)
}

describe("changedLines", () => {
  const hunk = {
    old_start: 10,
    new_start: 12,
    lines: [" a", "-let count = 1", "-gone", "+let total = 1", " b", "+new", "\\ No newline at end of file"],
  }

  it("numbers both sides", () => {
    const [lines] = changedLines([hunk])
    expect(lines?.map((line) => [line.kind, line.before, line.after])).toEqual([
      ["same", 10, 12],
      ["removed", 11, null],
      ["removed", 12, null],
      ["added", null, 13],
      ["same", 13, 14],
      ["added", null, 15],
      ["said", null, null],
    ])
  })

  it("has no numbers where nobody told them", () => {
    const [lines] = changedLines([{ ...hunk, old_start: null, new_start: null }])
    expect(lines?.map((line) => line.before ?? line.after)).toEqual(hunk.lines.map(() => null))
  })

  it("marks the words that changed in a line, not lines that have nothing in common", () => {
    const [lines] = changedLines([hunk])
    expect(lines?.map(drawn)).toEqual([
      "a",
      "let [count] = 1",
      "gone",
      "let [total] = 1",
      "b",
      "new",
      "No newline at end of file",
    ])
    const [apart] = changedLines([{ old_start: 1, new_start: 1, lines: ["-import os", "+def main(): pass"] }])
    expect(apart?.every((line) => line.marks.length === 0)).toBe(true)
  })

  it("does not compare long lines", () => {
    const long = "word ".repeat(2000)
    const [lines] = changedLines([{ old_start: 1, new_start: 1, lines: [`-${long}a`, `+${long}b`] }])
    expect(lines?.every((line) => line.marks.length === 0)).toBe(true)
  })

  it("takes lines of any form", () => {
    const [lines] = changedLines([{ old_start: 0, new_start: 0, lines: ["", "no sign\n", "+x\n"] }])
    expect(lines?.map((line) => line.text)).toEqual(["", "o sign", "x"])
    expect(tally([{ old_start: 0, new_start: 0, lines: ["+a", "-b", "+c", " d"] }])).toEqual({ added: 2, removed: 1 })
  })
})
