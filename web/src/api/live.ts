import { type Backend, isProblem } from "./backend"
import { delayMs } from "./backoff"
import { type Feed, applyFrame, NOWHERE, type LiveEvent } from "./feed"
import { followed, RowsReceived } from "./following"
import type { PageRow, Running, Said, Told } from "./schema"

export type Connection =
  | { phase: "connecting" }
  | { phase: "live" }
  | { phase: "reconnecting"; failures: number }
  /** The server does not answer; the page keeps trying. */
  | { phase: "unreachable" }
  | { phase: "logged out" }

/** What happened to a followed conversation. */
export type Followed =
  | { type: "rows"; epoch: string; seq: number; rows: PageRow[]; removed: string[] }
  | { type: "partial"; row: PageRow }
  /** What is shown has to be read again, unless it was read at this position of the feed or later. */
  | { type: "reread"; epoch: string; seq: number }

/** The sessions that clients have open, by session id; null until the server reported them. */
export type RunningNow = ReadonlyMap<string, Running> | null

type Socket = Pick<WebSocket, "send" | "close" | "addEventListener">

/** The outside world, which tests can replace. */
export interface Surroundings {
  socket(): Socket
  random(): number
  /** Milliseconds since the epoch. */
  now(): number
  later(run: () => void, ms: number): () => void
}

const UNREACHABLE_AFTER = 3
const SOCKET_PROTOCOL_ERROR = 4000
const CHECK_MS = 20_000
const CHECK_PATIENCE_MS = 10_000

export const browser: Surroundings = {
  socket: () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/live`),
  random: Math.random,
  now: Date.now,
  later: (run, ms) => {
    const timer = window.setTimeout(run, ms)
    return () => window.clearTimeout(timer)
  },
}

/**
 * The only socket of the page: keeps it open, resumes where it stopped, and passes events to the listeners that they
 * concern.
 */
export class Live {
  #feed: Feed = NOWHERE
  #connection: Connection = { phase: "connecting" }
  #socket: Socket | null = null
  #running: RunningNow = null
  #isStarted = false
  #failures = 0
  #cancelTry = () => {}
  #cancelCheck = () => {}
  #heardAt: number | null = null
  #wishes: string[] = []
  #said: string[] = []
  readonly #rowsReceived = new RowsReceived()
  readonly #watchers = new Set<() => void>()
  readonly #listeners = new Set<(event: LiveEvent) => void>()
  readonly #followers = new Map<string, Set<(news: Followed) => void>>()
  readonly #backend: Pick<Backend, "ticket">
  readonly #world: Surroundings

  constructor(backend: Pick<Backend, "ticket">, world: Surroundings = browser) {
    this.#backend = backend
    this.#world = world
  }

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    void this.#connect()
  }

  stop(): void {
    this.#isStarted = false
    this.#cancelTry()
    this.#drop()
  }

  /** Connects without further delay: the machine woke up, or the reader came back. */
  readonly retryNow = (): void => {
    if (!this.#isStarted || this.#socket !== null || this.#connection.phase === "connecting") return
    this.#cancelTry()
    void this.#connect()
  }

  /**
   * Connects again although the connection seems to stand: a phone that slept may have lost it without being told. What
   * was missed comes with the new one.
   */
  renew(): void {
    if (!this.#isStarted || this.#socket === null) return
    this.#drop()
    void this.#connect()
  }

  /** When the server was last heard: what is shown is not older. Null before the first welcome. */
  readonly heardAt = (): number | null => this.#heardAt

  get feed(): Feed {
    return this.#feed
  }

  readonly connection = (): Connection => this.#connection

  readonly running = (): RunningNow => this.#running

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  readonly listen = (listener: (event: LiveEvent) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly follow = (name: string, follower: (news: Followed) => void): (() => void) => {
    const followers = this.#followers.get(name) ?? new Set()
    followers.add(follower)
    this.#followers.set(name, followers)
    this.#wishes.push(name)
    this.#sayFollowed()
    return () => {
      followers.delete(follower)
      if (followers.size === 0) this.#followers.delete(name)
      const place = this.#wishes.indexOf(name)
      if (place >= 0) this.#wishes.splice(place, 1)
      this.#sayFollowed()
    }
  }

  async #connect(): Promise<void> {
    let ticket: string
    try {
      ticket = (await this.#backend.ticket()).ticket
    } catch (error) {
      if (isProblem(error, "not_logged_in")) {
        this.#isStarted = false
        this.#become({ phase: "logged out" })
      } else this.#failed()
      return
    }
    if (!this.#isStarted) return
    const socket = this.#world.socket()
    this.#socket = socket
    socket.addEventListener("open", () => {
      const { epoch, seq } = this.#feed
      this.#said = followed(this.#wishes)
      this.#say({ type: "hello", ticket, epoch, seq, follow: this.#said })
    })
    socket.addEventListener("message", (event) => {
      if (socket !== this.#socket) return
      const frame: Told = JSON.parse(String(event.data))
      this.#receive(frame)
    })
    socket.addEventListener("close", () => {
      if (socket === this.#socket) this.#failed()
    })
  }

  #receive(frame: Told): void {
    this.#heardAt = this.#world.now()
    if (frame.type === "welcome") {
      this.#failures = 0
      this.#checkLater()
      this.#become({ phase: "live" })
      // Follow requests made after the hello frame could not be sent until now.
      this.#sayFollowed()
    }
    const { feed, event } = applyFrame(this.#feed, frame)
    this.#feed = feed
    if (event === null) return
    if (event.type === "broken") {
      this.#failed()
      return
    }
    if (event.type === "running") {
      this.#running = new Map(event.sessions.map((each) => [each.session, each]))
      this.#notifyWatchers()
    }
    for (const listener of this.#listeners) listener(event)
    this.#notifyFollowers(event)
  }

  #checkLater(): void {
    this.#cancelCheck()
    this.#cancelCheck = this.#world.later(() => void this.#check(), CHECK_MS)
  }

  /** After a silence, asks whether the server still answers: a phone that left its network hears nothing of it. */
  async #check(): Promise<void> {
    const socket = this.#socket
    if (this.#world.now() - (this.#heardAt ?? 0) >= CHECK_MS) {
      const doesAnswer = await this.#doesAnswer()
      if (socket !== this.#socket) return
      if (!doesAnswer) {
        this.#failed()
        return
      }
      this.#heardAt = this.#world.now()
    }
    this.#checkLater()
  }

  async #doesAnswer(): Promise<boolean> {
    let cancel = () => {}
    const patience = new Promise<boolean>((resolve) => {
      cancel = this.#world.later(() => resolve(false), CHECK_PATIENCE_MS)
    })
    const answer = this.#backend.ticket().then(
      () => true,
      () => false,
    )
    const doesAnswer = await Promise.race([answer, patience])
    cancel()
    return doesAnswer
  }

  #notifyFollowers(event: LiveEvent): void {
    switch (event.type) {
      case "rows": {
        const { conversation, seq, rows, removed, is_whole } = event.frame
        const epoch = this.#feed.epoch ?? ""
        this.#rowsReceived.add(conversation, seq)
        if (is_whole) this.#notify(conversation, { type: "reread", epoch, seq })
        else this.#notify(conversation, { type: "rows", epoch, seq, rows, removed })
        return
      }
      case "partial":
        this.#notify(event.frame.conversation, { type: "partial", row: event.frame.row })
        return
      case "changed":
        for (const { name } of event.frame.conversations) {
          if (this.#followers.has(name) && this.#rowsReceived.isMissed(name, event.frame.seq)) {
            this.#notify(name, { type: "reread", epoch: event.epoch, seq: event.frame.seq })
          }
        }
        return
      case "reread":
        for (const name of this.#followers.keys()) this.#notify(name, event)
        return
      default:
        return
    }
  }

  #notify(name: string, news: Followed): void {
    for (const follower of this.#followers.get(name) ?? []) follower(news)
  }

  #sayFollowed(): void {
    const names = followed(this.#wishes)
    this.#rowsReceived.keepOnly(names)
    if (this.#connection.phase !== "live" || names.join("\n") === this.#said.join("\n")) return
    this.#said = names
    this.#say({ type: "follow", conversations: names })
  }

  #say(said: Said): void {
    this.#socket?.send(JSON.stringify(said))
  }

  #failed(): void {
    this.#drop()
    if (!this.#isStarted) return
    this.#failures += 1
    this.#become(
      this.#failures > UNREACHABLE_AFTER
        ? { phase: "unreachable" }
        : { phase: "reconnecting", failures: this.#failures },
    )
    const wait = delayMs(this.#failures - 1, this.#world.random())
    this.#cancelTry = this.#world.later(() => void this.#connect(), wait)
  }

  #drop(): void {
    this.#cancelCheck()
    const socket = this.#socket
    this.#socket = null
    socket?.close(SOCKET_PROTOCOL_ERROR)
  }

  #become(connection: Connection): void {
    this.#connection = connection
    this.#notifyWatchers()
  }

  #notifyWatchers(): void {
    for (const watcher of this.#watchers) watcher()
  }
}
