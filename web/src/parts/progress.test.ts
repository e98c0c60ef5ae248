import { describe, expect, it } from "vitest"
import type { ConversationProgressShown, ProgressShown } from "@/api/schema"
import { QUIET_AFTER_MS } from "./activity"
import { countInWords, currentProgress, progressInFull, workInWords } from "./progress"

const NOW = Date.parse("2026-05-20T10:00:00Z")
const before = (ms: number) => new Date(NOW - ms).toISOString()
const MAIN: ProgressShown = {
  step: "Running tests",
  completed: 12,
  total: 20,
  percentage: 60,
  source: "program",
  confidence: 0.95,
  stream: "s",
  offset: 0,
  length: 1,
  at: null,
  reason: null,
}
const AGENT = {
  id: "a1",
  call: null,
  parent: "",
  type: null,
  description: "Look",
  step: "Grep",
  calls: 2,
  source: "task" as const,
  confidence: 1,
  progress: null,
}
const BOTH: ConversationProgressShown = { main: MAIN, sub_agents: [AGENT, { ...AGENT, id: "" }] }

describe("currentProgress", () => {
  it("is shown while the conversation works or waits", () => {
    expect(currentProgress({ progress: BOTH, ended_at: before(0) }, "running", NOW)).toBe(BOTH)
    expect(currentProgress({ progress: BOTH, ended_at: before(0) }, "waiting", NOW)).toBe(BOTH)
  })

  it("leaves sub-agents with records when the turn has ended", () => {
    expect(currentProgress({ progress: BOTH, ended_at: before(0) }, "done", NOW)).toEqual({ main: null, sub_agents: [AGENT] })
    expect(currentProgress({ progress: { main: MAIN, sub_agents: [] }, ended_at: before(0) }, "done", NOW)).toBeNull()
  })

  it("is not shown when nothing happened for long", () => {
    expect(currentProgress({ progress: BOTH, ended_at: before(0) }, "quiet", NOW)).toBeNull()
    expect(currentProgress({ progress: BOTH, ended_at: before(QUIET_AFTER_MS + 1) }, "done", NOW)).toBeNull()
    expect(currentProgress({ progress: null, ended_at: before(0) }, "running", NOW)).toBeNull()
  })
})

it("says how many of a total are done only if there is a total", () => {
  expect(countInWords(MAIN)).toBe("12 of 20")
  expect(countInWords({ ...MAIN, total: null, percentage: null })).toBe("12")
})

it("says where it comes from and why it went back", () => {
  expect(progressInFull({ ...MAIN, reason: "new plan" })).toBe(
    "60 %\nFrom the output of a program\nConfidence 95 %\nLess than before: new plan",
  )
})

it("says what a sub-agent does", () => {
  expect(workInWords(AGENT)).toBe("2 calls, Grep")
  expect(workInWords({ ...AGENT, calls: 0 })).toBe("Grep")
})
