import { afterEach, expect, it } from "vitest"
import { noteOtherClock, nowMs } from "./now"

const HOUR_MS = 3_600_000

afterEach(() => noteOtherClock(Date.now()))

it.each([-HOUR_MS, HOUR_MS])("follows the clock of the computer if its own is wrong by %d ms", (off) => {
  noteOtherClock(Date.now() + off)
  expect(Math.abs(nowMs() - Date.now() - off)).toBeLessThan(1000)
})

it("keeps its own clock if the other one differs by the time that a request takes", () => {
  noteOtherClock(Date.now() - 4000)
  expect(Math.abs(nowMs() - Date.now())).toBeLessThan(1000)
})
