import { beforeEach, describe, expect, it } from "vitest"
import { World } from "@/testing/live-world"
import { changed, summary } from "@/testing/summaries"
import { ProblemError } from "./backend"
import { type Followed, Live } from "./live"
import type { ServerFrame } from "./schema"

const welcome = (seq: number): ServerFrame => ({ type: "welcome", epoch: "e", seq, is_reset: false })
const soon = () => new Promise((done) => setTimeout(done, 0))

let world: World
let live: Live

beforeEach(() => {
  world = new World()
  live = new Live({ ticket: () => Promise.resolve({ ticket: "t" }) }, world)
})

async function connected(): Promise<void> {
  live.start()
  await soon()
  world.last.open()
  world.last.deliver(welcome(10))
}

async function reconnected(): Promise<void> {
  world.waits.shift()?.run()
  await soon()
  world.last.open()
}

describe("the connection", () => {
  it("says hello with a ticket, and is live once welcomed", async () => {
    await connected()
    expect(world.last.said).toEqual([{ type: "hello", ticket: "t", epoch: null, seq: null, follow: [] }])
    expect(live.connection()).toEqual({ phase: "live" })
  })

  it("resumes where it stopped, following what it followed", async () => {
    await connected()
    live.follow("c", () => {})
    world.last.deliver(changed(10, 12, []))
    world.last.lose()
    expect(live.connection().phase).toBe("reconnecting")
    await reconnected()
    expect(world.last.said).toEqual([{ type: "hello", ticket: "t", epoch: "e", seq: 12, follow: ["c"] }])
  })

  it("remembers what runs, and says when that changed", async () => {
    await connected()
    expect(live.running()).toBeNull()
    let news = 0
    live.watch(() => (news += 1))
    world.last.deliver({ type: "running", sessions: [{ session: "s", pid: 7, status: "waiting", waiting_for: "input", pane: null }] })
    expect(live.running()?.get("s")?.waiting_for).toBe("input")
    expect(news).toBe(1)
    world.last.deliver({ type: "running", sessions: [] })
    expect(live.running()?.size).toBe(0)
  })

  it("connects again when a frame is missing, and ignores the old socket", async () => {
    await connected()
    const seen: number[] = []
    live.listen((event) => event.type === "changed" && seen.push(event.frame.seq))
    const old = world.last
    old.deliver(changed(11, 12, []))
    old.deliver(changed(10, 11, []))
    expect(old.isClosed).toBe(true)
    expect(seen).toEqual([])
    await reconnected()
    world.last.deliver(welcome(10), changed(10, 12, []))
    expect(seen).toEqual([12])
  })

  it("waits longer each time, and says so when nobody answers", async () => {
    await connected()
    const waits: number[] = []
    for (let tries = 0; tries < 5; tries += 1) {
      world.last.lose()
      waits.push(world.waits[0]?.ms ?? 0)
      await reconnected()
    }
    expect(waits).toEqual([400, 800, 1600, 3200, 6400])
    expect(live.connection()).toEqual({ phase: "unreachable" })
    world.last.deliver(welcome(10))
    expect(live.connection()).toEqual({ phase: "live" })
  })

  it("does not wait when the reader comes back", async () => {
    await connected()
    world.last.lose()
    live.retryNow()
    await soon()
    expect(world.sockets).toHaveLength(2)
    expect(world.waits).toHaveLength(0)
  })

  it("says when the server was last heard", async () => {
    expect(live.heardAt()).toBeNull()
    world.at = 1_000
    await connected()
    world.at = 5_000
    world.last.deliver(changed(10, 12, []))
    world.at = 9_000
    world.last.lose()
    expect(live.heardAt()).toBe(5_000)
  })

  it("asks after a silence whether the server still answers, and keeps the connection if it does", async () => {
    await connected()
    world.at = 30_000
    world.waits.shift()?.run()
    await soon()
    expect(live.connection()).toEqual({ phase: "live" })
    expect(live.heardAt()).toBe(30_000)
    expect(world.sockets).toHaveLength(1)
    expect(world.waits).toHaveLength(1)
  })

  it("connects again when a silent server does not answer in time", async () => {
    let isGone = false
    live = new Live({ ticket: () => (isGone ? new Promise(() => {}) : Promise.resolve({ ticket: "t" })) }, world)
    await connected()
    isGone = true
    world.at = 30_000
    world.waits.shift()?.run()
    await soon()
    expect(live.connection()).toEqual({ phase: "live" })
    world.waits.shift()?.run()
    await soon()
    expect(live.connection()).toEqual({ phase: "reconnecting", failures: 1 })
    expect(world.last.isClosed).toBe(true)
    expect(live.heardAt()).toBe(0)
  })

  it("resumes on a new socket after a sleep, without saying that it was lost", async () => {
    await connected()
    const old = world.last
    live.renew()
    await soon()
    expect(old.isClosed).toBe(true)
    expect(live.connection()).toEqual({ phase: "live" })
    world.last.open()
    expect(world.last.said).toEqual([{ type: "hello", ticket: "t", epoch: "e", seq: 10, follow: [] }])
  })

  it("stops when the server does not know the reader", async () => {
    const problem = new ProblemError({ kind: "not_logged_in", message: "", at: null })
    live = new Live({ ticket: () => Promise.reject(problem) }, world)
    live.start()
    await soon()
    expect(live.connection()).toEqual({ phase: "logged out" })
    expect(world.waits).toHaveLength(0)
  })
})

describe("a follower", () => {
  const rows = (seq: number, is_whole = false): ServerFrame => ({
    type: "rows",
    seq,
    conversation: "shop/main/a",
    rows: [],
    removed: ["x"],
    is_whole,
  })

  async function following(): Promise<Followed[]> {
    await connected()
    const news: Followed[] = []
    live.follow("shop/main/a", (each) => news.push(each))
    return news
  }

  it("is asked for, and no longer when it leaves", async () => {
    await connected()
    const leave = live.follow("a", () => {})
    leave()
    expect(world.last.said.slice(1)).toEqual([
      { type: "follow", conversations: ["a"] },
      { type: "follow", conversations: [] },
    ])
  })

  it("is news rows, once each", async () => {
    const news = await following()
    world.last.deliver(rows(11), changed(10, 11, [summary("a")]), rows(11))
    expect(news).toEqual([{ type: "rows", epoch: "e", seq: 11, rows: [], removed: ["x"] }])
  })

  it("reads again when a change came before its wish to follow was heard", async () => {
    const news = await following()
    world.last.deliver(changed(10, 11, [summary("a"), summary("b")]))
    expect(news).toEqual([{ type: "reread", epoch: "e", seq: 11 }])
    world.last.deliver(rows(12), changed(11, 12, [summary("a")]), changed(12, 13, [summary("b")]))
    expect(news.slice(1)).toEqual([{ type: "rows", epoch: "e", seq: 12, rows: [], removed: ["x"] }])
  })

  it("reads again when rows of an earlier visit came, but not those of a change after it", async () => {
    await connected()
    const leave = live.follow("shop/main/a", () => {})
    leave()
    const news: Followed[] = []
    live.follow("shop/main/a", (each) => news.push(each))
    // The server sent these before it knew that following had ended, and the next change before it knew that it had
    // begun again.
    world.last.deliver(rows(11), changed(10, 11, [summary("a")]), changed(11, 12, [summary("a")]))
    expect(news.slice(1)).toEqual([{ type: "reread", epoch: "e", seq: 12 }])
  })

  it("is asked for after the welcome when it came between hello and welcome", async () => {
    live.start()
    await soon()
    world.last.open()
    live.follow("a", () => {})
    world.last.deliver(welcome(10))
    expect(world.last.said.slice(1)).toEqual([{ type: "follow", conversations: ["a"] }])
  })

  it("reads again after a gap, a reset, or when too much changed", async () => {
    const news = await following()
    world.last.deliver({ type: "gap", since: 10, seq: 20 }, rows(21, true))
    expect(news).toEqual([
      { type: "reread", epoch: "e", seq: 20 },
      { type: "reread", epoch: "e", seq: 21 },
    ])
  })
})
