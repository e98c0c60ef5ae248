import { expect, it } from "vitest"
import { pointsAt, stretches, unitsAt } from "./code-points"

it("converts between characters and units", () => {
  expect(unitsAt("a🚦b", 2)).toBe(3)
  expect(pointsAt("a🚦b", 3)).toBe(2)
  expect(unitsAt("abc", 99)).toBe(3)
  expect(unitsAt("a🚦", 99)).toBe(3)
})

it("marks what the server marked, also behind characters of two units", () => {
  expect(stretches("🚦 stop now", [[2, 6]])).toEqual([
    { text: "🚦 ", isMarked: false },
    { text: "stop", isMarked: true },
    { text: " now", isMarked: false },
  ])
})

it("bears marks that overlap, are out of order, empty or outside", () => {
  const parts = stretches("abcdef", [[3, 5], [0, 2], [1, 4], [2, 2], [90, 99], [-5, 1]])
  expect(parts.map(({ text }) => text).join("")).toBe("abcdef")
  expect(stretches("", [[0, 4]])).toEqual([])
})
