import { expect, it } from "vitest"
import { daysOf, shortDaysOf } from "./days"

const at = (day: number, hour = 12) => `2026-03-0${day}T${hour}:00:00.000`

it("begins a day where the last time before was of another", () => {
  const days = daysOf([at(1), at(1, 13), null, at(2), null, at(2), at(1)], true)
  expect(days.map((day) => day !== null)).toEqual([true, false, false, true, false, false, true])
  expect(days[3]).toMatch(/2 March 2026|March 2, 2026/)
})

it("leaves out the first day of rows that go on above", () => {
  expect(daysOf([null, at(1), at(2)], false).map((day) => day !== null)).toEqual([false, false, true])
})

it("says nothing of days for what is no time", () => {
  expect(daysOf([null, "soon", ""], true)).toEqual([null, null, null])
  expect(shortDaysOf([null, "soon"])).toEqual([null, null])
})

it("names the day of each place only where there are several", () => {
  expect(shortDaysOf([at(1), at(1, 13)])).toEqual([null, null])
  expect(shortDaysOf([at(1), null, at(2)]).map((day) => day !== null)).toEqual([true, false, true])
})
