import { describe, expect, it } from "vitest"
import { activityOf, FORGOTTEN_AFTER_MS, isAtWork, QUIET_AFTER_MS, subAgentsAtWork, waitingFor, withRun, withRunning } from "./activity"
import { run } from "@/testing/runs"
import { summary } from "@/testing/summaries"

const NOW = Date.parse("2026-02-03T12:00:00Z")
const before = (ms: number) => new Date(NOW - ms).toISOString()

describe("a conversation that was at work", () => {
  it.each(["thinking", "reading", "editing", "running"] as const)("is %s while signs of it come", (status) => {
    expect(activityOf({ status, ended_at: before(1000), running: null }, NOW)).toBe(status)
    expect(activityOf({ status, ended_at: before(QUIET_AFTER_MS), running: null }, NOW)).toBe(status)
  })

  it("is quiet when none came for ten minutes, or none ever", () => {
    expect(activityOf({ status: "running", ended_at: before(QUIET_AFTER_MS + 1), running: null }, NOW)).toBe("quiet")
    expect(activityOf({ status: "running", ended_at: null, running: null }, NOW)).toBe("quiet")
  })

  it("is at work when its clock is ahead of ours", () => {
    expect(activityOf({ status: "editing", ended_at: before(-90_000), running: null }, NOW)).toBe("editing")
  })
})

it("waits for a person for half a day, then it is taken for closed", () => {
  const status = "waiting for permission"
  expect(activityOf({ status, ended_at: before(3 * 3_600_000), running: null }, NOW)).toBe("waiting")
  expect(activityOf({ status, ended_at: before(FORGOTTEN_AFTER_MS + 1), running: null }, NOW)).toBe("quiet")
})

it("stays done, failed, interrupted or damaged, however long ago", () => {
  for (const status of ["done", "failed", "interrupted", "damaged"]) {
    expect(activityOf({ status, ended_at: before(1e12), running: null }, NOW)).toBe(status)
  }
})

it("is idle for a status nobody knows", () => {
  expect(activityOf({ status: "dancing", ended_at: before(0), running: null }, NOW)).toBe("idle")
  expect(activityOf({ status: "constructor", ended_at: before(0), running: null }, NOW)).toBe("idle")
})

it("counts sub-agents only while signs come", () => {
  expect(subAgentsAtWork({ sub_agents_at_work: 2, ended_at: before(1000) }, NOW)).toBe(2)
  expect(subAgentsAtWork({ sub_agents_at_work: 2, ended_at: before(QUIET_AFTER_MS + 1) }, NOW)).toBe(0)
  expect(subAgentsAtWork({ sub_agents_at_work: 2, ended_at: null }, NOW)).toBe(0)
})

it("counts neither waiting nor quiet as work", () => {
  expect(isAtWork("thinking")).toBe(true)
  expect(isAtWork("waiting")).toBe(false)
  expect(isAtWork("quiet")).toBe(false)
})

describe("the client that has it open", () => {
  const client = (status: "idle" | "busy" | "waiting") => ({ session: "s", pid: 7, status, waiting_for: "permission prompt", pane: null })

  it("waits for a person, whatever the records say and however long", () => {
    for (const status of ["running", "done", "dancing"]) {
      expect(activityOf({ status, ended_at: before(1e12), running: client("waiting") }, NOW)).toBe("waiting")
    }
    expect(waitingFor({ running: client("waiting") })).toBe("permission prompt")
    expect(waitingFor({ running: client("busy") })).toBeNull()
    expect(waitingFor({ running: null })).toBeNull()
  })

  it("is at work while it says so: a long silence is a long command, and a question was answered", () => {
    expect(activityOf({ status: "running", ended_at: before(1e12), running: client("busy") }, NOW)).toBe("running")
    expect(activityOf({ status: "done", ended_at: before(1000), running: client("busy") }, NOW)).toBe("thinking")
    expect(activityOf({ status: "waiting for permission", ended_at: before(0), running: client("busy") }, NOW)).toBe("thinking")
  })

  it("adds nothing to the records when it is idle", () => {
    expect(activityOf({ status: "failed", ended_at: before(1000), running: client("idle") }, NOW)).toBe("failed")
    expect(activityOf({ status: "running", ended_at: before(1000), running: client("idle") }, NOW)).toBe("running")
  })

  it("is the one that was reported last; before that, the one that was read", () => {
    const read = { id: "s", running: client("waiting") }
    expect(withRunning(read, null)).toBe(read)
    expect(withRunning(read, new Map()).running).toBeNull()
    expect(withRunning(read, new Map([["s", client("busy")]])).running?.status).toBe("busy")
  })
})

it("believes the run that Chorus holds, as long as it lives", () => {
  const loaded = summary("a", { status: "done", ended_at: before(1000) })
  expect(activityOf(withRun(loaded, run("1", { state: "running" })), NOW)).toBe("thinking")
  expect(activityOf(withRun(loaded, run("1", { state: "waiting" })), NOW)).toBe("waiting")
  expect(activityOf(withRun(loaded, run("1", { state: "idle" })), NOW)).toBe("done")
  expect(withRun(loaded, run("1", { state: "ended" }))).toBe(loaded)
  expect(withRun(loaded, run("1", { state: "lost" }))).toBe(loaded)
  expect(withRun(loaded, null)).toBe(loaded)
})

it("knows that an agent that ended is not at work, unless its conversation went on", () => {
  const loaded = summary("a", { status: "thinking", ended_at: before(1000) })
  const ended = { state: "ended", ended_at: before(500) } as const
  expect(activityOf(withRun(loaded, run("1", { ...ended, is_failure: true })), NOW)).toBe("failed")
  expect(activityOf(withRun(loaded, run("1", ended)), NOW)).toBe("interrupted")
  expect(withRun(loaded, run("1", { ...ended, ended_at: before(2000) }))).toBe(loaded)
  const open = { ...loaded, running: { session: "a", pid: 1, status: "busy" as const, waiting_for: null, pane: null } }
  expect(withRun(open, run("1", ended))).toBe(open)
})
