import { expect, it } from "vitest"
import { stateInWords } from "./state-in-words"

it("says how far the first pass is", () => {
  expect(stateInWords({ state: "keeping", done_bytes: 1_000_000, total_bytes: 4_000_000 })).toBe(
    "Keeping sessions: 1.0 MB of 4.0 MB",
  )
})
