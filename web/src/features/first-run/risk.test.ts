import { expect, it } from "vitest"
import { riskInWords } from "./risk"

it("says what will be lost and after how long", () => {
  expect(riskInWords({ sessions: 1, cleanup_days: 30 })).toBe(
    "Claude Code deletes sessions after 30 days. 1 session will go soon and is not kept yet.",
  )
  expect(riskInWords({ sessions: 0, cleanup_days: null })).toBe(
    "Claude Code deletes old sessions by itself. What Chorus has kept stays readable.",
  )
})
