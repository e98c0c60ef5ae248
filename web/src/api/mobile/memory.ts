/** What a phone has stored of `chorus.mobile.v1`: its position in the change feed, and the last message under each id. */

import type { MobileBody, MobileFrame, MobileSent, MobileSession, PermissionAsked } from "@/api/schema"

export interface Position {
  epoch: string | null
  seq: number | null
}

/** What a frame meant. */
export interface Taken {
  /** The messages that are new, in order. None of them comes twice. */
  news: MobileSent[]
  /** Whether a step before this one is missing: connect again, from the stored position. */
  isBroken: boolean
  /** Whether the stored conversations are no longer continued: they were dropped, and have to be replayed. */
  isReset: boolean
  /** Conversations of which something was left out: they were dropped, and have to be replayed. */
  gaps: string[]
}

/** Where a phone stores what it is sent. A step is confirmed to the server only after `take` is done. */
export interface Store {
  readonly position: Position
  /** The revisions of the messages that came last. The server does not send these again. */
  known(): Record<string, string>
  take(frame: MobileFrame): Taken | Promise<Taken>
  /** Forgets texts that were still being written: they are sent again, or completely. */
  dropPartials(): void
  /** Forgets a conversation that is no longer followed. */
  drop(conversation: string): void
}

const TYPES: Readonly<Record<MobileBody["type"], true>> = {
  hello: true,
  project_list: true,
  session_list: true,
  claude_response: true,
  user_message: true,
  tool_activity: true,
  progress_update: true,
  sub_agent_progress: true,
  permission_request: true,
  permission_resolved: true,
  question: true,
  plan: true,
  task_completion: true,
  session_state: true,
  done: true,
  error: true,
  gap: true,
  replay_place: true,
  board: true,
  tile: true,
}
const MAX_KNOWN = 300
/** With the rest of `subscribe` this is below the 32 KiB that a message of a phone may have. */
const MAX_KNOWN_BYTES = 28 << 10

/** A store that lasts as long as the page: nothing of a conversation is written to the device. */
export class Memory implements Store {
  #position: Position = { epoch: null, seq: null }
  readonly #messages = new Map<string, MobileSent>()
  readonly #partials = new Map<string, MobileSent>()
  /** The revision of each stored message; those that came last are at the end. */
  readonly #revisions = new Map<string, string>()
  readonly #sessions = new Map<string, MobileSession>()

  get position(): Position {
    return this.#position
  }

  known(): Record<string, string> {
    const last: [string, string][] = []
    let bytes = 0
    for (const entry of [...this.#revisions].slice(-MAX_KNOWN).toReversed()) {
      bytes += new TextEncoder().encode(JSON.stringify(entry)).length
      if (bytes > MAX_KNOWN_BYTES) break
      last.push(entry)
    }
    return Object.fromEntries(last.toReversed())
  }

  take({ since, seq, messages }: MobileFrame): Taken {
    const taken: Taken = { news: [], isBroken: false, isReset: false, gaps: [] }
    if (seq !== null) {
      if (since !== this.#position.seq) return { ...taken, isBroken: true }
      this.#position = { ...this.#position, seq }
    }
    for (const sent of messages) if (Object.hasOwn(TYPES, sent.message.type)) this.#takeMessage(sent, taken)
    return taken
  }

  /** The messages of a conversation, in order; those outside of conversations for null. */
  messages(conversation: string | null): MobileSent[] {
    const stored = [...this.#messages].map(([key, sent]) => this.#partials.get(key) ?? sent)
    const begun = [...this.#partials].filter(([key]) => !this.#messages.has(key)).map(([, sent]) => sent)
    return [...stored, ...begun].filter((sent) => sent.conversation === conversation)
  }

  /** The message outside of conversations with this id. */
  message(id: string): MobileBody | null {
    return this.#messages.get(keyOf({ conversation: null, id }))?.message ?? null
  }

  /** The permission requests that wait. */
  requests(): PermissionAsked[] {
    return this.messages(null).flatMap(({ message }) => (message.type === "permission_request" ? [message] : []))
  }

  sessions(): MobileSession[] {
    return [...this.#sessions.values()]
  }

  dropPartials(): void {
    this.#partials.clear()
  }

  drop(conversation: string): void {
    this.#dropWhere((sent) => sent.conversation === conversation)
  }

  #takeMessage(sent: MobileSent, taken: Taken): void {
    const { message } = sent
    if (message.type === "hello") {
      this.#position = { epoch: message.epoch, seq: message.seq }
      taken.isReset ||= message.isReset
      if (message.isReset) this.#dropWhere(() => true)
      const waits = new Set(message.pending)
      this.#dropWhere((stored) => stored.message.type === "permission_request" && !waits.has(stored.message.requestId))
    } else if (message.type === "gap") {
      taken.gaps.push(message.conversation)
      this.drop(message.conversation)
    } else if (message.type === "session_list") {
      if (message.isWhole) this.#sessions.clear()
      for (const each of message.sessions) this.#sessions.set(each.conversation, each)
      for (const name of message.gone) this.#sessions.delete(name)
    }
    if (sent.id !== null && !this.#isStored(sent)) return
    taken.news.push(sent)
  }

  /** Stores a message under its id; returns whether it is news. */
  #isStored(sent: MobileSent): boolean {
    const key = keyOf(sent)
    if (sent.isPartial) {
      this.#partials.set(key, sent)
      return true
    }
    this.#partials.delete(key)
    const before = this.#revisions.get(key)
    // The key moves to the end: the server is told the revisions that came last.
    this.#revisions.delete(key)
    this.#revisions.set(key, sent.revision ?? "")
    if (before !== undefined && before === sent.revision) return false
    this.#messages.set(key, sent)
    if (sent.message.type === "board") this.#dropTilesBut(new Set(sent.message.columns.flatMap((each) => each.conversations)))
    return true
  }

  #dropTilesBut(names: ReadonlySet<string>): void {
    this.#dropWhere(({ message }) => message.type === "tile" && !names.has(message.conversation))
  }

  #dropWhere(isDropped: (sent: MobileSent) => boolean): void {
    for (const stored of [this.#messages, this.#partials]) {
      for (const [key, sent] of stored) {
        if (!isDropped(sent)) continue
        stored.delete(key)
        this.#revisions.delete(key)
      }
    }
  }
}

function keyOf({ conversation, id }: Pick<MobileSent, "conversation" | "id">): string {
  return `${conversation ?? ""} ${id ?? ""}`
}
