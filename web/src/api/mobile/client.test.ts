import { beforeEach, describe, expect, it } from "vitest"
import { ProblemError } from "@/api/backend"
import type { MobileFrame, MobileSent } from "@/api/schema"
import { World } from "@/testing/live-world"
import { frame, hello, said, sent, CONVERSATION } from "@/testing/mobile"
import { MobileClient } from "./client"
import { Memory, type Store, type Taken } from "./memory"

const soon = () => new Promise((done) => setTimeout(done, 0))
const TICKET = { ticket: () => Promise.resolve({ ticket: "t" }) }

let world: World
let phone: MobileClient
let heard: MobileSent[]

beforeEach(() => {
  world = new World()
  phone = new MobileClient(TICKET, new Memory(), world)
  heard = []
  phone.listen((each) => each.conversation !== null && heard.push(each))
})

async function deliver(...frames: Parameters<World["last"]["deliver"]>): Promise<void> {
  world.last.deliver(...frames)
  await soon()
}

async function connected(): Promise<void> {
  phone.start()
  await soon()
  world.last.open()
  await deliver(hello(10))
}

async function reconnected(seq: number): Promise<void> {
  world.waits.shift()?.run()
  await soon()
  world.last.open()
  await deliver(hello(seq))
}

const contents = () => heard.map(({ message }) => (message.type === "user_message" ? message.content : ""))
const acks = () => world.last.said.filter((each) => JSON.stringify(each).includes('"ack"'))
const subscriptions = () => world.last.said.filter((each) => JSON.stringify(each).includes('"subscribe"'))

/** A store that takes its time. */
class Disk implements Store {
  readonly #memory = new Memory()
  write = () => {}

  get position() {
    return this.#memory.position
  }

  known = () => this.#memory.known()
  dropPartials = () => this.#memory.dropPartials()
  drop = (conversation: string) => this.#memory.drop(conversation)

  async take(each: MobileFrame): Promise<Taken> {
    if (each.seq !== null) await new Promise<void>((done) => (this.write = done))
    return this.#memory.take(each)
  }
}

describe("the connection", () => {
  it("subscribes with a ticket, and is live once the server said hello", async () => {
    phone.start()
    await soon()
    world.last.open()
    expect(world.last.said).toMatchObject([{ type: "subscribe", ticket: "t", epoch: null, seq: null, conversations: [], board: false }])
    expect(phone.connection()).toEqual({ phase: "connecting" })
    await deliver(hello(10))
    expect(phone.connection()).toEqual({ phase: "live" })
    expect(phone.hello()?.scopes).toContain("approve")
  })

  it("waits longer after each failure, and not at all when the person comes back", async () => {
    await connected()
    const waits: number[] = []
    for (let tries = 0; tries < 4; tries += 1) {
      world.last.lose()
      waits.push(world.waits[0]?.ms ?? 0)
      world.waits.shift()?.run()
      await soon()
      world.last.open()
    }
    expect(waits).toEqual([400, 800, 1600, 3200])
    expect(phone.connection()).toEqual({ phase: "unreachable" })
    world.last.lose()
    phone.retryNow()
    expect(world.waits).toHaveLength(0)
    await soon()
    world.last.open()
    await deliver(hello(10))
    expect(phone.connection()).toEqual({ phase: "live" })
    world.last.lose()
    expect(world.waits[0]?.ms).toBe(400)
  })

  it("ends when the server does not know the person any more", async () => {
    const problem = new ProblemError({ kind: "not_logged_in", message: "", at: null })
    phone = new MobileClient({ ticket: () => Promise.reject(problem) }, new Memory(), world)
    phone.start()
    await soon()
    expect(phone.connection()).toEqual({ phase: "logged out" })
    expect(world.waits).toHaveLength(0)
  })

  it("is one, also if it is started, stopped and started again before the ticket came", async () => {
    phone.start()
    phone.stop()
    phone.start()
    await soon()
    expect(world.sockets).toHaveLength(1)
  })
})

describe("what happens", () => {
  it("is confirmed after it was stored, and reported once", async () => {
    const disk = new Disk()
    const phone = new MobileClient(TICKET, disk, world)
    const heard: MobileSent[] = []
    phone.listen((each) => each.conversation !== null && heard.push(each))
    phone.follow(CONVERSATION)
    phone.start()
    await soon()
    world.last.open()
    await deliver(hello(10))
    await deliver(frame(10, 11, said("1", "one")))
    expect([acks(), heard]).toEqual([[], []])
    disk.write()
    await soon()
    expect(acks()).toEqual([{ type: "ack", seq: 11 }])
    expect(heard).toHaveLength(1)
  })

  it("is neither lost nor repeated over connections that end at any point", async () => {
    phone.follow(CONVERSATION)
    await connected()
    await deliver(frame(10, 11, said("1", "one")), frame(11, 12, said("2", "two")))
    world.last.lose()
    await reconnected(12)
    expect(subscriptions()[0]).toMatchObject({ ticket: "t", epoch: "e", seq: 12 })
    expect(Object.keys(JSON.parse(JSON.stringify(subscriptions()[0])).known)).toEqual([`${CONVERSATION} 1`, `${CONVERSATION} 2`])
    // The server was restarted and sends a message again.
    await deliver(frame(12, 13, said("2", "two"), said("3", "three")))
    expect(contents()).toEqual(["one", "two", "three"])
  })

  it("is asked for again from the stored position if a step is missing, and the rest of that socket is ignored", async () => {
    phone.follow(CONVERSATION)
    await connected()
    const old = world.last
    await deliver(frame(11, 12, said("2", "two")), frame(10, 11, said("1", "one")))
    expect(old.isClosed).toBe(true)
    expect(world.waits).toHaveLength(1)
    expect(contents()).toEqual([])
    await reconnected(10)
    expect(subscriptions()[0]).toMatchObject({ seq: 10 })
    await deliver(frame(10, 11, said("1", "one")), frame(11, 12, said("2", "two")))
    expect(contents()).toEqual(["one", "two"])
  })

  it("begins again after a reset, with a replay of what is followed", async () => {
    phone.follow(CONVERSATION)
    await connected()
    await deliver(frame(10, 11, said("1", "one")), frame(null, null, sent(null, null, { type: "done", ref: "1", runId: null })))
    world.last.lose()
    world.waits.shift()?.run()
    await soon()
    world.last.open()
    expect(subscriptions()).toMatchObject([{ replay: [] }])
    await deliver(hello(90, { epoch: "f", isReset: true }))
    expect(phone.store.messages(CONVERSATION)).toEqual([])
    expect(subscriptions().slice(1)).toMatchObject([{ conversations: [CONVERSATION], replay: [CONVERSATION], known: {} }])
    await deliver(frame(null, null, said("1", "one")), frame(90, 91, said("2", "two")))
    expect(phone.store.messages(CONVERSATION)).toHaveLength(2)
  })

  it("asks for a conversation again after a gap", async () => {
    phone.follow(CONVERSATION)
    await connected()
    await deliver(frame(null, null, sent(null, null, { type: "done", ref: "1", runId: null })))
    await deliver(frame(10, 11, said("1", "one")), frame(11, 12, sent(CONVERSATION, null, { type: "gap", conversation: CONVERSATION })))
    expect(subscriptions().slice(1)).toMatchObject([{ replay: [CONVERSATION], known: {} }])
  })

  it("continues a replay where it was cut off, unless something was left out", async () => {
    const place = (ref: string) => frame(null, null, sent(CONVERSATION, null, { type: "replay_place", conversation: CONVERSATION, place: `p${ref}`, ref }))
    phone.follow(CONVERSATION)
    await connected()
    await deliver(frame(null, null, said("1", "one")), place("1"))
    world.last.lose()
    await reconnected(10)
    expect(subscriptions()).toMatchObject([{ replay: [CONVERSATION], replayAfter: { [CONVERSATION]: "p1" } }])
    await deliver(frame(10, 11, sent(CONVERSATION, null, { type: "gap", conversation: CONVERSATION })))
    expect(subscriptions().slice(1)).toMatchObject([{ replay: [CONVERSATION], replayAfter: {} }])
    // It was on its way before the gap.
    await deliver(place("2"))
    world.last.lose()
    await reconnected(11)
    expect(subscriptions()).toMatchObject([{ replay: [CONVERSATION], replayAfter: {} }])
  })

  it("is asked for from its start until all of it came", async () => {
    await connected()
    const leave = phone.follow(CONVERSATION)
    expect(subscriptions().slice(1)).toMatchObject([{ conversations: [CONVERSATION], replay: [CONVERSATION] }])
    await deliver(frame(null, null, said("1", "one")))
    world.last.lose()
    await reconnected(10)
    expect(subscriptions()).toMatchObject([{ replay: [CONVERSATION], known: { [`${CONVERSATION} 1`]: expect.anything() } }])
    leave()
    expect(subscriptions().slice(1)).toMatchObject([{ conversations: [], replay: [] }])
    await deliver(frame(10, 11, said("2", "on its way when the conversation was left")))
    expect(phone.store.messages(CONVERSATION)).toEqual([])
  })
})

describe("an action", () => {
  it("is answered with the same ref: done, or why not", async () => {
    await connected()
    const fine = expect(phone.act({ type: "stop", runId: "r" })).resolves.toMatchObject({ type: "done" })
    const why = { kind: "not_found", message: "There is no such run." }
    const refused = expect(phone.act({ type: "interrupt", runId: "q" })).rejects.toMatchObject(why)
    expect(world.last.said.slice(1)).toEqual([
      { type: "stop", runId: "r", ref: "2" },
      { type: "interrupt", runId: "q", ref: "3" },
    ])
    await deliver(frame(null, null, sent(null, null, { type: "error", ...why, ref: "3" })))
    await deliver(frame(null, null, sent(null, null, { type: "done", runId: null, ref: "2" })))
    await Promise.all([fine, refused])
  })

  it("is never sent twice: after a lost connection its outcome is unknown", async () => {
    await connected()
    const asked = phone.act({ type: "send", runId: "r", content: "Go." })
    const outcome = expect(asked).rejects.toMatchObject({ kind: "unreachable" })
    world.last.lose()
    await outcome
    await expect(phone.act({ type: "stop", runId: "r" })).rejects.toThrow("nothing was sent")
    await reconnected(10)
    expect(world.last.said).toHaveLength(1)
  })
})
