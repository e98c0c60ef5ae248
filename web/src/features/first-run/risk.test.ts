import { expect, it } from "vitest"
import { riskInWords } from "./risk"

it("says what will be lost and after how long", () => {
  expect(riskInWords({ sessions: 1, cleanup: "deletes sessions after 30 days (its default)" })).toBe(
    "Claude Code deletes sessions after 30 days (its default). 1 session will go soon and is not recorded yet.",
  )
  expect(riskInWords({ sessions: 0, cleanup: "deletes sessions after 5 days (`cleanupPeriodDays` in its settings)" })).toBe(
    "Claude Code deletes sessions after 5 days (cleanupPeriodDays in its settings). What Chorus has recorded stays readable.",
  )
})
