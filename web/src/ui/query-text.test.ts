import { expect, it } from "vitest"
import { taken, underlined } from "./query-text"

it("takes a suggestion in the place it is meant for", () => {
  const suggestion = { text: "tool:", start: 2, end: 4, hint: "" }
  expect(taken("a to b", suggestion)).toEqual({ text: "a tool: b", caret: 7 })
  expect(taken("🚦 to", suggestion)).toEqual({ text: "🚦 tool:", caret: 8 })
})

it("underlines what is wrong", () => {
  expect(underlined("a tol:b", [2, 6])).toEqual([
    { text: "a ", isMarked: false },
    { text: "tol:", isMarked: true },
    { text: "b", isMarked: false },
  ])
})

it("gives a fault at the end, or of no width, something to stand on", () => {
  expect(underlined("a (", [3, 3]).at(-1)).toEqual({ text: " ", isMarked: true })
  expect(underlined("ab", [0, 0])[0]).toEqual({ text: "a", isMarked: true })
  expect(underlined("ab", null)).toEqual([{ text: "ab", isMarked: false }])
})
