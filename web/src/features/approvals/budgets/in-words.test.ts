import { expect, it } from "vitest"
import { aboutOf, isException, limitsOf } from "./in-words"

it("says what a budget is about", () => {
  expect(aboutOf("run money:5 minutes:60")).toBe("each run")
  expect(aboutOf("day money:10 workspace:shop")).toBe("each day in shop")
  expect(aboutOf("day money:none only:2026-12-24")).toBe("only day 2026-12-24")
})

it("finds the limits and the exceptions", () => {
  expect(limitsOf("run money:5 minutes:60 workspace:tokens")).toEqual(["money:5", "minutes:60"])
  expect(isException("day money:none only:2026-12-24")).toBe(true)
  expect(isException("run money:5")).toBe(false)
})
