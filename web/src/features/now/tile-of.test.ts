import { expect, it } from "vitest"
import { mobileTile } from "@/testing/mobile"
import { progressOf, tileOf } from "./tile-of"

it("draws what the server said of a conversation, and adds nothing to it", () => {
  const told = mobileTile({
    column: "needs you",
    runId: "r",
    runState: "waiting",
    reasons: [{ kind: "question", text: "asks a question", requestId: null, callId: "q1", since: "2026-01-05T09:00:00Z" }],
    calls: [{ callId: "c1", tool: "Bash", subject: "make", agentId: "a1", since: null }],
    alerts: [{ kind: "loop", text: "fails again", agentId: "", since: null, itemId: "i1", count: 4 }],
    context: { tokens: 5, window: 10, isKnown: false },
  })
  expect(tileOf(told)).toMatchObject({
    column: "needs you",
    run: { id: "r", state: "waiting" },
    reasons: [{ kind: "question", text: "asks a question", request: null, call: "q1" }],
    calls: [{ call: "c1", tool: "Bash", text: "make", thread: "a1" }],
    alerts: [{ kind: "loop", text: "fails again", evidence: [{ item: "i1" }], count: 4 }],
    context: { tokens: 5, window: 10, is_known: false },
  })
})

it("shows progress only where somebody said so, with its source and that of each sub-agent", () => {
  expect(progressOf(mobileTile())).toBeNull()
  const own = { currentStep: "Running tests", completedSteps: 12, totalSteps: 20, percentage: 60, source: "program" as const, confidence: 1, reason: null }
  const agent = { agentId: "a1", description: "Look", currentStep: "Read", calls: 2, source: "task" as const, progress: null }
  expect(progressOf(mobileTile({ progress: own, subAgents: [agent] }))).toEqual({
    main: { step: "Running tests", completed: 12, total: 20, percentage: 60, source: "program", confidence: 1, reason: null },
    sub_agents: [{ id: "a1", description: "Look", step: "Read", calls: 2, source: "task", progress: null }],
  })
})
