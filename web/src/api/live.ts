import type { Backend } from "./backend"
import { type Feed, applyFrame, NOWHERE, type LiveEvent } from "./feed"
import { followed, RowsReceived } from "./following"
import { type Connection, inBrowser, Line, type Surroundings } from "./line"
import type { PageRow, Running, PageFrame, ServerFrame } from "./schema"

/** What happened to a followed conversation. */
export type Followed =
  | { type: "rows"; epoch: string; seq: number; rows: PageRow[]; removed: string[] }
  | { type: "partial"; row: PageRow }
  /** What is shown has to be read again, unless it was read at this position of the feed or later. */
  | { type: "reread"; epoch: string; seq: number }

/** The sessions that clients have open, by session id; null until the server reported them. */
export type RunningNow = ReadonlyMap<string, Running> | null

/** The socket of the page: resumes where it stopped, and passes events to the listeners that they concern. */
export class Live {
  #feed: Feed = NOWHERE
  #running: RunningNow = null
  #wishes: string[] = []
  #said: string[] = []
  readonly #rowsReceived = new RowsReceived()
  readonly #watchers = new Set<() => void>()
  readonly #listeners = new Set<(event: LiveEvent) => void>()
  readonly #followers = new Map<string, Set<(news: Followed) => void>>()
  readonly #line: Line

  constructor(backend: Pick<Backend, "ticket">, world: Surroundings = inBrowser("/api/live")) {
    this.#line = new Line(backend, world, {
      opened: (ticket) => {
        const { epoch, seq } = this.#feed
        this.#said = followed(this.#wishes)
        this.#say({ type: "hello", ticket, epoch, seq, follow: this.#said })
      },
      heard: (text) => this.#receive(JSON.parse(text)),
      became: () => this.#notifyWatchers(),
    })
  }

  start(): void {
    this.#line.start()
  }

  stop(): void {
    this.#line.stop()
  }

  readonly retryNow = (): void => this.#line.retryNow()

  renew(): void {
    this.#line.renew()
  }

  /** When the server was last heard: what is shown is not older. Null before the first welcome. */
  readonly heardAt = (): number | null => this.#line.heardAt

  get feed(): Feed {
    return this.#feed
  }

  readonly connection = (): Connection => this.#line.connection

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

  #receive(frame: ServerFrame): void {
    if (frame.type === "welcome") {
      this.#line.welcomed()
      // Follow requests made after the hello frame could not be sent until now.
      this.#sayFollowed()
    }
    const { feed, event } = applyFrame(this.#feed, frame)
    this.#feed = feed
    if (event === null) return
    if (event.type === "broken") {
      this.#line.failed()
      return
    }
    if (event.type === "running") {
      this.#running = new Map(event.sessions.map((each) => [each.session, each]))
      this.#notifyWatchers()
    }
    for (const listener of this.#listeners) listener(event)
    this.#notifyFollowers(event)
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
    if (this.#line.connection.phase !== "live" || names.join("\n") === this.#said.join("\n")) return
    this.#said = names
    this.#say({ type: "follow", conversations: names })
  }

  #say(said: PageFrame): void {
    this.#line.say(said)
  }

  #notifyWatchers(): void {
    for (const watcher of this.#watchers) watcher()
  }
}
