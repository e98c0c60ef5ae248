import { expect, it } from "vitest"
import { shownAsOf, stateInWords } from "./state-in-words"

it("says how far the first pass is", () => {
  expect(stateInWords({ state: "keeping", done_bytes: 1_000_000, total_bytes: 4_000_000 })).toBe(
    "Recording sessions: 1.0 MB of 4.0 MB",
  )
})

const AT = Date.UTC(2026, 2, 1, 14, 5)
const MINUTES = 60_000

it.each([
  [0, "less than a minute ago"],
  [-5 * MINUTES, "less than a minute ago"],
  [MINUTES, "1 minute ago"],
  [3.9 * MINUTES, "3 minutes ago"],
  [125 * MINUTES, "2 hours ago"],
  [3 * 24 * 60 * MINUTES, "3 days ago"],
])("says how old what is shown is: %d ms", (past, words) => {
  const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(AT)
  const said = shownAsOf(AT, AT + past, "en-GB")
  expect(said.startsWith("What you see is as of ")).toBe(true)
  expect(said).toContain(`${time}, ${words}.`)
})

it("names the day of what is older than a day", () => {
  expect(shownAsOf(AT, AT + 48 * 60 * MINUTES, "en-GB")).toContain("1 Mar")
})
