import { expect, it } from "vitest"
import { approvalCard, decision } from "@/testing/approvals"
import { codeOf, deciderOf, effectOf, leftInWords, outcomeOf, tooLate, waitingInWords } from "./in-words"

it("says what was decided, by whom, where and how fast", () => {
  const card = approvalCard("a", { state: "approved", latency_ms: 12_000, decision: decision({ approver: "Ada", surface: "terminal" }) })
  expect(outcomeOf(card)).toBe("Approved")
  expect(deciderOf(card)).toBe("by Ada in the terminal, after\u00a012s")
  const changed = approvalCard("a", { state: "approved", latency_ms: 800, decision: decision({ is_changed: true, surface: "pager" }) })
  expect(outcomeOf(changed)).toBe("Approved with a changed input")
  expect(deciderOf(changed)).toBe("from pager, after\u00a0800ms")
})

it("says which rule decided", () => {
  const made = decision({ surface: "rule", rules: ['allow command:"ls *"'] })
  expect(deciderOf(approvalCard("a", { state: "approved", latency_ms: 2, decision: made }))).toBe('by the rule allow command:"ls *", after\u00a02ms')
})

it("says why it ended otherwise, and names nobody then", () => {
  const card = approvalCard("a", { state: "invalid", note: "no approver\nsigned it", decision: decision({ approver: "Eve" }) })
  expect(outcomeOf(card)).toBe("Not valid: no approver signed it")
  expect(deciderOf(card)).toBe("")
  const expired = approvalCard("a", { state: "expired", latency_ms: 540_000 })
  expect(outcomeOf(expired)).toBe("Expired: nobody answered in time")
  expect(deciderOf(expired)).toBe("(after\u00a09m\u00a000s)")
})

it("says whether a decision was sent, took effect or came too late", () => {
  const denied = { state: "denied", decision: decision({ behavior: "deny" }) } as const
  expect(effectOf(approvalCard("a", { ...denied, effect: "sent" }))).toBe("sent")
  expect(effectOf(approvalCard("a", { ...denied, effect: "took_effect" }))).toBe("took effect")
  expect(effectOf(approvalCard("a", denied))).toBe("")
  const late = approvalCard("a", { ...denied, state: "answered", effect: "sent", note: "answered in the terminal: allowed" })
  expect(outcomeOf(late)).toBe("Answered in the terminal: allowed")
  expect(effectOf(late)).toBe("too late")
  expect(effectOf({ ...late, decision: null })).toBe("")
  const failed = approvalCard("a", { ...denied, state: "approved", effect: "failed", note: "the plan's file\nwas changed" })
  expect(effectOf(failed)).toBe("failed: the plan's file was changed")
})

it("leaves out a latency that the clocks do not agree on", () => {
  const card = approvalCard("a", { state: "denied", latency_ms: null, decision: decision({ behavior: "deny" }) })
  expect(deciderOf(card)).toBe("on the page")
})

it("tells who came late what that means", () => {
  expect(tooLate(approvalCard("a", { state: "denied" }))).toContain("faster")
  expect(tooLate(approvalCard("a", { state: "withdrawn" }))).toContain("nothing was allowed")
})

it("counts down to the second", () => {
  expect([539_001, 60_000, 59_000, 1, 0, -5, 3_605_000].map(leftInWords)).toEqual([
    "9:00", "1:00", "0:59", "0:01", "0:00", "0:00", "1:00:05",
  ])
})

it("writes a key's code in groups", () => {
  expect(codeOf("4ee9506bc61f2fb0932f744e7f7850d6")).toBe("4ee9 506b c61f 2fb0")
})

it("counts what waits", () => {
  expect([0, 1, 2].map(waitingInWords)).toEqual(["Nothing waits for you", "1 request waits for you", "2 requests wait for you"])
})

it("calls a question that was answered by that name", () => {
  const card = approvalCard("a", { kind: "question", state: "approved", decision: decision({ is_changed: true }) })
  expect(outcomeOf(card)).toBe("Answered")
})
