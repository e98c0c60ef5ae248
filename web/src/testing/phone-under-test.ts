/** Puts phones with the reference client into a page, for tests against a real server. Never part of the application. */

import { http } from "@/api/http"
import { inBrowser, type Surroundings } from "@/api/line"
import { type Action, MobileClient } from "@/api/mobile/client"
import { Memory, type Taken } from "@/api/mobile/memory"
import type { MobileFrame, MobileSent } from "@/api/schema"

/** A store that takes its time, so that steps are confirmed late. */
class SlowMemory {
  readonly memory = new Memory()
  readonly #storingMs: number

  constructor(storingMs: number) {
    this.#storingMs = storingMs
  }

  get position() {
    return this.memory.position
  }

  known = () => this.memory.known()
  dropPartials = () => this.memory.dropPartials()
  drop = (conversation: string) => this.memory.drop(conversation)

  async take(frame: MobileFrame): Promise<Taken> {
    if (frame.seq !== null) await new Promise((done) => setTimeout(done, this.#storingMs))
    return this.memory.take(frame)
  }
}

class Phone {
  readonly client: MobileClient<SlowMemory>
  readonly heard: MobileSent[] = []
  hellos = 0
  #socket: WebSocket | null = null

  constructor(storingMs = 0) {
    const world = inBrowser("/api/mobile", "chorus.mobile.v1")
    const surroundings: Surroundings = {
      ...world,
      socket: () => {
        this.#socket = new WebSocket(`ws://${location.host}/api/mobile`, "chorus.mobile.v1")
        return this.#socket
      },
    }
    this.client = new MobileClient(http, new SlowMemory(storingMs), surroundings)
    this.client.listen((sent) => {
      if (sent.message.type === "hello") this.hellos += 1
      if (sent.id !== null && !sent.isPartial) this.heard.push(sent)
    })
    this.client.start()
  }

  /** Ends the connection without a word to the client. */
  cut(): void {
    this.#socket?.close()
  }

  prompts(): string[] {
    return this.heard.flatMap(({ message }) => (message.type === "user_message" ? [message.content] : []))
  }

  /** The messages that came twice. */
  repeated(): string[] {
    const seen = this.heard.map(({ conversation, id, revision }) => `${conversation} ${id} ${revision}`)
    return seen.filter((each, at) => seen.indexOf(each) !== at)
  }

  async kindOf(asked: Action): Promise<string> {
    return this.client.act(asked).then(
      () => "done",
      (error: { kind: string }) => error.kind,
    )
  }
}

Object.assign(window, { Phone })
