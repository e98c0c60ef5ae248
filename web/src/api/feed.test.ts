import { describe, expect, it } from "vitest"
import { changed, summary } from "@/testing/summaries"
import { changesSince, type Feed, applyFrame, NOWHERE } from "./feed"
import type { ServerFrame } from "./schema"

const AT_10: Feed = { epoch: "e", seq: 10, recent: [] }
const welcome = (seq: number, given: object = {}): ServerFrame => ({ type: "welcome", epoch: "e", seq, is_reset: false, ...given })
const rows = (seq: number): ServerFrame => ({ type: "rows", seq, conversation: "c", rows: [], removed: [], is_whole: false })

describe("a welcome", () => {
  it("at first says where the feed is, and that what was read before is to be read again", () => {
    const { feed, event } = applyFrame(NOWHERE, welcome(7))
    expect(feed).toEqual({ epoch: "e", seq: 7, recent: [] })
    expect(event).toEqual({ type: "reread", epoch: "e", seq: 7 })
  })

  it("after a lost connection goes on from where the page is", () => {
    expect(applyFrame(AT_10, welcome(10))).toEqual({ feed: AT_10, event: null })
  })

  it("of another epoch, or with a reset, begins again", () => {
    expect(applyFrame(AT_10, welcome(3, { epoch: "f" })).event).toEqual({ type: "reread", epoch: "f", seq: 3 })
    expect(applyFrame(AT_10, welcome(90, { is_reset: true })).feed.seq).toBe(90)
  })
})

describe("a change", () => {
  it("is told when it begins where the last one ended", () => {
    const { feed, event } = applyFrame(AT_10, changed(10, 12, [summary("a")]))
    expect(feed.seq).toBe(12)
    expect(feed.recent).toHaveLength(1)
    expect(event?.type).toBe("changed")
  })

  it("with a hole before it breaks the connection and moves nothing", () => {
    expect(applyFrame(AT_10, changed(11, 12, []))).toEqual({ feed: AT_10, event: { type: "broken" } })
  })

  it("that was told before is not told again", () => {
    expect(applyFrame(AT_10, changed(9, 10, [])).event).toBeNull()
  })

  it("before any welcome is a broken connection", () => {
    expect(applyFrame(NOWHERE, changed(0, 1, [])).event).toEqual({ type: "broken" })
  })
})

it("tells rows of what is to come, and not those of what was told", () => {
  expect(applyFrame(AT_10, rows(11)).event?.type).toBe("rows")
  expect(applyFrame(AT_10, rows(10)).event).toBeNull()
  expect(applyFrame(AT_10, rows(11)).feed).toBe(AT_10)
})

it("jumps over a gap and says that everything is to be read again", () => {
  const { feed, event } = applyFrame(AT_10, { type: "gap", since: 10, seq: 40 })
  expect(feed).toEqual({ epoch: "e", seq: 40, recent: [] })
  expect(event).toEqual({ type: "reread", epoch: "e", seq: 40 })
  expect(applyFrame(feed, changed(40, 41, [])).event?.type).toBe("changed")
})

describe("changes since a page was read", () => {
  const feed = [changed(10, 11, []), changed(11, 14, []), changed(14, 15, [])].reduce(
    (before, frame) => applyFrame(before, frame).feed,
    AT_10,
  )

  it("are those after it, whole", () => {
    expect(changesSince(feed, "e", 11)?.map(({ seq }) => seq)).toEqual([14, 15])
    expect(changesSince(feed, "e", 12)?.map(({ seq }) => seq)).toEqual([14, 15])
    expect(changesSince(feed, "e", 15)).toEqual([])
  })

  it("are unknown when they reach back further than what is remembered, or into another epoch", () => {
    expect(changesSince(feed, "e", 9)).toBeNull()
    expect(changesSince(feed, "f", 15)).toBeNull()
  })

  it("are none before the socket is open", () => {
    expect(changesSince(NOWHERE, "e", 3)).toEqual([])
  })

  it("forgets the oldest", () => {
    let long = AT_10
    for (let seq = 10; seq < 400; seq += 1) long = applyFrame(long, changed(seq, seq + 1, [])).feed
    expect(long.recent).toHaveLength(256)
    expect(changesSince(long, "e", 20)).toBeNull()
    expect(changesSince(long, "e", 399)).toHaveLength(1)
  })
})

it("a word on permission requests is told on as it is, wherever the feed stands", () => {
  expect(applyFrame(AT_10, { type: "runs", runs: [] })).toEqual({ feed: AT_10, event: { type: "runs", runs: [] } })
  const frame: ServerFrame = { type: "approvals", pending: 2 }
  expect(applyFrame(AT_10, frame)).toEqual({ feed: AT_10, event: { type: "approvals", pending: 2 } })
  expect(applyFrame(NOWHERE, frame).event).toEqual({ type: "approvals", pending: 2 })
})
