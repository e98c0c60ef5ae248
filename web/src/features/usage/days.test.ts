import { expect, it } from "vitest"
import { everyDay } from "./days"

it("adds the days between the first and the last", () => {
  expect(everyDay(["2026-02-27", "2026-03-02"])).toEqual(["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"])
})

it("leaves other keys as they are", () => {
  expect(everyDay(["2026-W09", "2026-W11"])).toEqual(["2026-W09", "2026-W11"])
  expect(everyDay(["2026-02-27", "unknown"])).toEqual(["2026-02-27", "unknown"])
  expect(everyDay(["1970-01-01", "2026-01-01"])).toEqual(["1970-01-01", "2026-01-01"])
  expect(everyDay([])).toEqual([])
})
