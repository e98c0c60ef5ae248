import { expect, test } from "vitest"
import { run } from "@/testing/runs"
import { standingOf } from "./standing"

const OPEN = { session: "s", pid: 1, status: "idle" as const, waiting_for: null, pane: null }

test("a run of ours counts more than what its own client tells of itself", () => {
  const ours = run("a", { state: "idle" })
  expect(standingOf(ours, OPEN)).toEqual({ type: "ours", run: ours })
})

test("what somebody has open in a terminal is not ours to go on with", () => {
  expect(standingOf(null, OPEN)).toEqual({ type: "elsewhere" })
  expect(standingOf(run("a", { state: "ended" }), OPEN)).toEqual({ type: "elsewhere" })
})

test("a run that ended is told, and can be gone on with", () => {
  const ended = run("a", { state: "lost" })
  expect(standingOf(ended, null)).toEqual({ type: "free", ended })
  expect(standingOf(null, null)).toEqual({ type: "free", ended: null })
})
