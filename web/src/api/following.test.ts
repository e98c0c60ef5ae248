import { expect, it } from "vitest"
import { followed, Sureness } from "./following"

it("names each conversation once, and of too many the latest", () => {
  expect(followed(["a", "b", "a"])).toEqual(["b", "a"])
  const many = Array.from({ length: 12 }, (_, index) => `c${index}`)
  expect(followed(many)).toEqual(many.slice(4))
})

it("takes a change without rows as missed until rows have come once", () => {
  const sureness = new Sureness()
  expect(sureness.isMissed("a")).toBe(true)
  sureness.rows("a")
  expect(sureness.isMissed("a")).toBe(false)
})

it("is unsure again after a conversation was left", () => {
  const sureness = new Sureness()
  sureness.rows("a")
  sureness.keepOnly([])
  expect(sureness.isMissed("a")).toBe(true)
})
