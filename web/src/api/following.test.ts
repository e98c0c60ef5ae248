import { expect, it } from "vitest"
import { followed, RowsReceived } from "./following"

it("names each conversation once, and of too many the latest", () => {
  expect(followed(["a", "b", "a"])).toEqual(["b", "a"])
  const many = Array.from({ length: 12 }, (_, index) => `c${index}`)
  expect(followed(many)).toEqual(many.slice(4))
})

it("takes a change as missed unless the rows of that very change have come", () => {
  const rowsHeard = new RowsReceived()
  expect(rowsHeard.isMissed("a", 11)).toBe(true)
  rowsHeard.add("a", 11)
  expect(rowsHeard.isMissed("a", 11)).toBe(false)
  expect(rowsHeard.isMissed("a", 12)).toBe(true)
  expect(rowsHeard.isMissed("b", 11)).toBe(true)
})

it("forgets conversations that are not followed any more", () => {
  const rowsHeard = new RowsReceived()
  rowsHeard.add("a", 11)
  rowsHeard.keepOnly([])
  expect(rowsHeard.isMissed("a", 11)).toBe(true)
})
