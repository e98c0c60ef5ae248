import { describe, expect, it } from "vitest"
import type { Blame, LineOrigin } from "@/api/schema"
import { COLOURS, factsOf, linesOf, nextKnown, placeOf, titleOf } from "./lines"

function origin(facts: Partial<LineOrigin> = {}): LineOrigin {
  return {
    conversation: "5e55", conversation_name: "w/main/5e55", title: "A title", agent: "", turn: 2, call: "toolu_1", tool: "Edit",
    model: "", certainty: "exact", evidence: "snapshots", prompt: "Do it", prompt_at: "message:1", lines: 1, ...facts,
  }
}

function blame(stretches: Blame["stretches"], origins: LineOrigin[]): Blame {
  return { workspace: "w", folder: "/w", key: "a", path: "a", revision: "", origins, stretches, claims: [], lines: 0, lines_by_agents: 0, cut_lines: 0 }
}

describe("lines of a blamed file", () => {
  const lines = linesOf(
    blame(
      [
        { first: 1, lines: ["x"], origin: null },
        { first: 2, lines: ["a", "b"], origin: 0 },
        { first: 4, lines: ["c"], origin: 1 },
        { first: 5, lines: ["d"], origin: 2 },
      ],
      [origin(), origin({ conversation: "other" }), origin({ turn: 3 })],
    ),
  )

  it("are numbered, and conversations have one colour each", () => {
    expect(lines.map(({ number, text, colour, nth }) => [number, text, colour, nth])).toEqual([
      [1, "x", null, 0],
      [2, "a", 0, 0],
      [3, "b", 0, 1],
      [4, "c", 1, 0],
      [5, "d", 0, 0],
    ])
  })

  it("are stepped through by stretches with an origin", () => {
    expect(nextKnown(lines, -1, 1)).toBe(1)
    expect(nextKnown(lines, 1, 1)).toBe(3)
    expect(nextKnown(lines, 4, 1)).toBe(-1)
    expect(nextKnown(lines, 3, -1)).toBe(1)
    expect(nextKnown(lines, 1, -1)).toBe(-1)
  })

  it("never need more colours than there are", () => {
    const origins = Array.from({ length: 20 }, (_, nth) => origin({ conversation: String(nth) }))
    const many = linesOf(blame(origins.map((_, nth) => ({ first: nth + 1, lines: [""], origin: nth })), origins))
    expect(Math.max(...many.map((line) => line.colour ?? 0))).toBe(COLOURS - 1)
  })
})

describe("an origin", () => {
  it("leads to its prompt, else to its call, else to the conversation, and nowhere if that is not stored", () => {
    expect(placeOf(origin())).toBe("/c/w/main/5e55?at=message%3A1")
    expect(placeOf(origin({ prompt_at: "" }))).toBe("/c/w/main/5e55?at=call%3Atoolu_1")
    expect(placeOf(origin({ prompt_at: "", call: "" }))).toBe("/c/w/main/5e55")
    expect(placeOf(origin({ conversation_name: "" }))).toBeNull()
  })

  it("is named by its prompt, its title, or its id", () => {
    expect(titleOf(origin())).toBe("Do it")
    expect(titleOf(origin({ prompt: "" }))).toBe("A title")
    expect(titleOf(origin({ prompt: "", title: "", conversation: "0123456789" }))).toBe("Conversation 01234567")
    expect(factsOf(origin({ agent: "a1" }))).toBe("turn 2 · Edit · sub-agent")
  })
})
