import { expect, test } from "vitest"
import { run } from "@/testing/runs"
import { allRuns, NO_RUNS, runOf, withStarted, withReported } from "./runs"

test("a run that was just started stays until it is told of, and is then what is told", () => {
  const started = withStarted(NO_RUNS, run("a", { state: "starting" }))
  const older = withReported(started, [run("b")])
  expect(allRuns(older).map(({ id }) => id)).toEqual(["b", "a"])

  const known = withReported(older, [run("a", { state: "idle" }), run("b")])
  expect(known.started).toEqual([])
  expect(allRuns(known).find(({ id }) => id === "a")?.state).toBe("idle")
  expect(withStarted(known, run("a", { state: "starting" }))).toEqual(known)
})

test("the newest run comes first", () => {
  const known = withReported(NO_RUNS, [
    run("old", { started_at: "2026-02-03T12:00:00Z" }),
    run("new", { started_at: "2026-02-03T12:00:01Z" }),
  ])
  expect(allRuns(known).map(({ id }) => id)).toEqual(["new", "old"])
})

test("a conversation's run is the one that lives, else the last; by name, or by session", () => {
  const ended = run("2", { conversation: "w/a/s", session: "s", state: "ended" })
  const living = run("1", { conversation: "w/a/s", session: "s", state: "idle" })
  expect(runOf([ended, living], "w/a/s")).toBe(living)
  expect(runOf([ended], "w/a/s")).toBe(ended)
  expect(runOf([living], "elsewhere/b/s")).toBe(living)
  expect(runOf([living], "w/a/other")).toBeNull()
})
