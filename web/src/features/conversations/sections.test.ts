import { expect, it } from "vitest"
import { run } from "@/testing/runs"
import { summary } from "@/testing/summaries"
import { sectionsOf, waitingCount } from "./sections"

const NOW = new Date(2026, 1, 12, 12).getTime()
const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString()

it("puts those who need a person first, then those at work, then days", () => {
  const sections = sectionsOf(
    [
      summary("work", { status: "running", ended_at: hoursAgo(0) }),
      summary("asks", { status: "waiting for permission", ended_at: hoursAgo(0.5) }),
      summary("quiet", { status: "running", ended_at: hoursAgo(1) }),
      summary("today", { ended_at: hoursAgo(2) }),
      summary("yesterday", { ended_at: hoursAgo(24) }),
      summary("week", { ended_at: hoursAgo(24 * 3) }),
      summary("old", { ended_at: hoursAgo(24 * 40) }),
      summary("never", { ended_at: null }),
    ],
    null,
    NOW,
    "en-GB",
  )
  expect(sections.map(({ title, entries }) => [title, entries.map(({ conversation }) => conversation.id).join()])).toEqual([
    ["Waiting for you", "asks"],
    ["At work", "work"],
    ["Today", "quiet,today"],
    ["Yesterday", "yesterday"],
    ["Monday", "week"],
    ["January", "old"],
    ["No time known", "never"],
  ])
})

it("has no empty sections", () => {
  expect(sectionsOf([], null, NOW)).toEqual([])
})

it("counts those who wait", () => {
  const waiting = { status: "waiting for permission", ended_at: hoursAgo(1) }
  expect(waitingCount([summary("a", waiting), summary("b", waiting), summary("c")], null, NOW)).toBe(2)
})

it("takes the word of the clients that run, as it was last told", () => {
  const asks = { session: "asks", pid: 7, status: "waiting" as const, waiting_for: "permission prompt", pane: null }
  const listed = [summary("asks", { ended_at: hoursAgo(30) }), summary("asked", { running: { ...asks, session: "asked" } })]
  expect(waitingCount(listed, null, NOW)).toBe(1)
  const running = new Map([["asks", asks]])
  expect(waitingCount(listed, running, NOW)).toBe(1)
  expect(sectionsOf(listed, running, NOW)[0]?.entries[0]?.conversation.running).toEqual(asks)
  expect(waitingCount(listed, new Map(), NOW)).toBe(0)
})

it("knows who waits by the permission requests, and counts those apart", () => {
  const conversations = [summary("a"), summary("b", { status: "waiting for permission", ended_at: hoursAgo(1) }), summary("c")]
  const asking = new Set(["shop/main/a", "shop/main/b"])
  const waiting = sectionsOf(conversations, null, NOW, "en-GB", asking).find(({ kind }) => kind === "waiting")
  expect(waiting?.entries.map(({ conversation }) => conversation.id)).toEqual(["a", "b"])
  expect(waitingCount(conversations, null, NOW, asking)).toBe(0)
})

it("does not count what a run waited for that is over", () => {
  const asked = summary("a", { status: "waiting for permission", ended_at: hoursAgo(0.1) })
  const over = run("r", { conversation: "shop/main/a", session: "a", state: "ended", ended_at: hoursAgo(0) })
  expect(waitingCount([asked], null, NOW)).toBe(1)
  expect(waitingCount([asked], null, NOW, new Set(), [over])).toBe(0)
})

it("tells which conversations an agent of ours works on, and how that stands", () => {
  const ours = run("r", { conversation: "shop/main/a", session: "a", state: "waiting" })
  const failed = run("f", { conversation: "shop/main/b", session: "b", state: "ended", is_failure: true })
  const sections = sectionsOf([summary("a"), summary("b"), summary("c")], null, NOW, "en-GB", new Set(), [ours, failed])
  const entries = sections.flatMap((section) => section.entries)
  expect(entries.map((entry) => [entry.conversation.id, entry.activity, entry.run?.id])).toEqual([
    ["a", "waiting", "r"],
    ["b", "done", "f"],
    ["c", "done", undefined],
  ])
})
