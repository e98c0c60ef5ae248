/**
 * The reference client of `chorus.mobile.v1` (docs/formats/mobile.md): it connects, resumes where it stopped, stores,
 * then confirms. Nothing is lost and nothing comes twice, however often the connection ends.
 */

import type { Backend } from "@/api/backend"
import { type Connection, inBrowser, Line, type Surroundings } from "@/api/line"
import type { ActionDone, MobileError, MobileFrame, MobileHello, MobileSaid, MobileSent } from "@/api/schema"
import type { Memory, Store } from "./memory"

export const PROTOCOL = "chorus.mobile.v1"
const MAX_FOLLOWED = 8

type WithoutRef<Each> = Each extends { ref: unknown } ? Omit<Each, "ref"> : never
/** What a person may ask for. It is answered with `done` or `error`. */
export type Action = WithoutRef<Exclude<MobileSaid, { type: "subscribe" | "ack" }>>

/** The server did not do what it was asked for. */
export class NotDone extends Error {
  readonly kind: string
  constructor({ kind, message }: Pick<MobileError, "kind" | "message">) {
    super(message)
    this.name = "NotDone"
    this.kind = kind
  }
}

const UNKNOWN = { kind: "unreachable", message: "The connection ended before the answer came, so it is not known whether it was done." }
const NOT_CONNECTED = { kind: "unreachable", message: "Chorus does not answer: nothing was sent." }

/** The last `subscribe`: what it asked for, and which replays its answer ends. */
interface Said {
  wishes: string
  ref: string
  replay: readonly string[]
}

interface Waiting {
  resolve: (done: ActionDone) => void
  reject: (error: NotDone) => void
}

export class MobileClient<Stored extends Store = Memory> {
  readonly store: Stored
  readonly #line: Line
  readonly #watchers = new Set<() => void>()
  readonly #listeners = new Set<(sent: MobileSent) => void>()
  readonly #waiting = new Map<string, Waiting>()
  #hello: MobileHello | null = null
  /** The conversations that are followed, by the number of those who follow them. */
  readonly #follows = new Map<string, number>()
  /** Conversations that are to be sent from their start, and were not yet completely. */
  readonly #replays = new Set<string>()
  /** How far the replay of a conversation came, so that the next `subscribe` continues there. */
  readonly #places = new Map<string, string>()
  #said: Said = { wishes: "", ref: "", replay: [] }
  #boards = 0
  #refs = 0
  #version = 0
  /** Frames are stored one after the other, also if storing takes time. */
  #storing: Promise<void> = Promise.resolve()

  constructor(backend: Pick<Backend, "ticket">, store: Stored, world: Surroundings = inBrowser("/api/mobile", PROTOCOL)) {
    this.store = store
    this.#line = new Line(backend, world, {
      opened: (ticket) => this.#subscribe(ticket),
      heard: (text) => this.#heard(text),
      became: () => this.#became(),
    })
  }

  start(): void {
    this.#line.start()
  }

  stop(): void {
    this.#line.stop()
    this.#hung()
  }

  readonly retryNow = (): void => this.#line.retryNow()

  readonly connection = (): Connection => this.#line.connection

  /** What the server said about itself and this login; null before it did. */
  readonly hello = (): MobileHello | null => this.#hello

  /** A number that changes with everything that can be read here. */
  readonly version = (): number => this.#version

  /** Calls `watcher` when the connection or what is stored changed. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Calls `listener` with each new message, once. */
  readonly listen = (listener: (sent: MobileSent) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Follows a conversation from its start, until the returned function is called. At most 8 are followed. */
  follow(conversation: string): () => void {
    const isNew = !this.#follows.has(conversation)
    this.#follows.set(conversation, (this.#follows.get(conversation) ?? 0) + 1)
    if (isNew) {
      this.#replays.add(conversation)
      this.#subscribe()
    }
    return once(() => {
      const left = (this.#follows.get(conversation) ?? 1) - 1
      if (left > 0) return void this.#follows.set(conversation, left)
      this.#follows.delete(conversation)
      this.#replays.delete(conversation)
      this.#places.delete(conversation)
      this.store.drop(conversation)
      this.#subscribe()
    })
  }

  /** Asks for the board, until the returned function is called. */
  followBoard(): () => void {
    this.#boards += 1
    if (this.#boards === 1) this.#subscribe()
    return once(() => {
      this.#boards -= 1
      if (this.#boards === 0) this.#subscribe()
    })
  }

  /**
   * Asks the server to do something; rejects with `NotDone`. It is never sent a second time: after a connection that
   * ended, only the person can know whether to repeat it.
   */
  act(asked: Action): Promise<ActionDone> {
    if (this.connection().phase !== "live") return Promise.reject(new NotDone(NOT_CONNECTED))
    const ref = this.#nextRef()
    return new Promise((resolve, reject) => {
      this.#waiting.set(ref, { resolve, reject })
      this.#line.say({ ...asked, ref })
    })
  }

  /** Says what is followed, unless that was said; with a ticket, as the first message of a socket. */
  #subscribe(ticket?: string): void {
    const conversations = [...this.#follows.keys()].slice(-MAX_FOLLOWED)
    const replay = conversations.filter((each) => this.#replays.has(each))
    const wished = { conversations, board: this.#boards > 0 }
    const wishes = JSON.stringify(wished)
    const isSaid = wishes === this.#said.wishes && replay.every((each) => this.#said.replay.includes(each))
    if (ticket === undefined && (this.connection().phase !== "live" || isSaid)) return
    const ref = this.#nextRef()
    // Only the answer to the last one counts: it asks again for all that an earlier one did not bring.
    this.#said = { wishes, ref, replay }
    const first = ticket === undefined ? {} : { ticket, ...this.store.position }
    const replayAfter = Object.fromEntries([...this.#places].filter(([name]) => replay.includes(name)))
    this.#line.say({ type: "subscribe", ...wished, replay, replayAfter, known: this.store.known(), ref, ...first })
  }

  #nextRef(): string {
    this.#refs += 1
    return String(this.#refs)
  }

  #heard(text: string): void {
    let frame: MobileFrame
    try {
      frame = JSON.parse(text)
    } catch {
      return this.#line.failed()
    }
    const socket = this.#line.number
    this.#storing = this.#storing.then(async () => {
      // What an earlier socket brought and was not stored is sent again.
      if (socket !== this.#line.number) return
      try {
        await this.#take(frame)
      } catch {
        // It could not be stored, and is not confirmed.
        this.#line.failed()
      }
    })
  }

  async #take(frame: MobileFrame): Promise<void> {
    // What was on its way when a conversation was left is not wanted any more.
    const messages = frame.messages.filter(({ conversation }) => conversation === null || this.#follows.has(conversation))
    const taken = await this.store.take({ ...frame, messages })
    if (taken.isBroken) return this.#line.failed()
    if (frame.seq !== null) this.#line.say({ type: "ack", seq: frame.seq })
    for (const { message } of taken.news) {
      if (message.type === "hello") {
        this.#hello = message
        this.#line.welcomed()
        // What was wished for after the socket had opened could not be said before.
        this.#subscribe()
      } else if (message.type === "replay_place") {
        // A place of a replay that was asked for before something was dropped says nothing about what is stored now.
        if (message.ref === this.#said.ref) this.#places.set(message.conversation, message.place)
      } else if (message.type === "done" || message.type === "error") this.#answer(message)
    }
    const lost = taken.isReset ? [...this.#follows.keys()] : taken.gaps.filter((name) => this.#follows.has(name))
    if (lost.length > 0) {
      for (const name of lost) {
        this.#replays.add(name)
        this.#places.delete(name)
      }
      this.#said = { ...this.#said, replay: this.#said.replay.filter((name) => !lost.includes(name)) }
      this.#subscribe()
    }
    for (const sent of taken.news) for (const listener of this.#listeners) listener(sent)
    this.#changed()
  }

  #answer(message: ActionDone | MobileError): void {
    if (message.type === "done" && message.ref === this.#said.ref) {
      for (const name of this.#said.replay) {
        this.#replays.delete(name)
        this.#places.delete(name)
      }
      this.#said = { ...this.#said, replay: [] }
      return
    }
    const waiting = message.ref === null ? undefined : this.#waiting.get(message.ref)
    if (message.ref === null || waiting === undefined) return
    this.#waiting.delete(message.ref)
    if (message.type === "done") waiting.resolve(message)
    else waiting.reject(new NotDone(message))
  }

  #became(): void {
    if (this.connection().phase !== "live") this.#hung()
    this.#changed()
  }

  /** The socket ended: what was not answered will not be. */
  #hung(): void {
    this.store.dropPartials()
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const each of waiting) each.reject(new NotDone(UNKNOWN))
  }

  #changed(): void {
    this.#version += 1
    for (const watcher of this.#watchers) watcher()
  }
}

function once(run: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    run()
  }
}
