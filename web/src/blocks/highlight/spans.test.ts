import { describe, expect, it } from "vitest"
import { linesOf, marked, plainLines } from "./spans"

describe("lines of spans", () => {
  it("keep every character and every line, empty ones too", () => {
    const lines = linesOf([
      { text: "a\n\nb", scope: "string" },
      { text: "c\n", scope: "" },
    ])
    expect(lines.map((line) => line.map((span) => span.text).join("")).join("\n")).toBe("a\n\nbc\n")
    expect(lines[2]).toEqual([
      { text: "b", scope: "string" },
      { text: "c", scope: "" },
    ])
    expect(plainLines("a\n")).toEqual([[{ text: "a", scope: "" }], []])
  })
})

describe("marked", () => {
  const line = [
    { text: "let ", scope: "keyword" },
    { text: "count", scope: "" },
  ]

  it("cuts spans at the edges of marks", () => {
    expect(marked(line, [[2, 6]]).map((span) => [span.text, span.scope, span.isMarked])).toEqual([
      ["le", "keyword", false],
      ["t ", "keyword", true],
      ["co", "", true],
      ["unt", "", false],
    ])
  })

  it("leaves a line without marks as it is", () => {
    expect(marked(line, []).map((span) => span.text)).toEqual(["let ", "count"])
    expect(marked([], [[0, 3]])).toEqual([])
  })

  it("takes several marks, and marks past the end", () => {
    expect(
      marked(line, [
        [0, 1],
        [3, 5],
        [8, 99],
      ])
        .map((span) => (span.isMarked ? `[${span.text}]` : span.text))
        .join(""),
    ).toBe("[l]et[ ][c]oun[t]")
  })
})
