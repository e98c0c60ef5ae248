import type { Surroundings } from "@/api/line"
import type { MobileFrame, ServerFrame } from "@/api/schema"

/** A server and a clock that the test controls. */
export class World implements Surroundings {
  sockets: FakeSocket[] = []
  waits: { run: () => void; ms: number }[] = []
  random = () => 1
  at = 0
  now = () => this.at
  socket = () => {
    const made = new FakeSocket()
    this.sockets.push(made)
    return made
  }
  later = (run: () => void, ms: number) => {
    const wait = { run, ms }
    this.waits.push(wait)
    return () => void this.waits.splice(this.waits.indexOf(wait), 1)
  }
  get last(): FakeSocket {
    const last = this.sockets.at(-1)
    if (last === undefined) throw new Error("no socket was opened")
    return last
  }
}

export class FakeSocket extends EventTarget {
  said: unknown[] = []
  readyState: 0 | 1 = 0
  isClosed = false
  send(text: string) {
    this.said.push(JSON.parse(text))
  }
  close() {
    this.isClosed = true
  }
  open() {
    this.readyState = 1
    this.dispatchEvent(new Event("open"))
  }
  deliver(...frames: (ServerFrame | MobileFrame)[]) {
    for (const frame of frames) this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }))
  }
  lose() {
    this.dispatchEvent(new Event("close"))
  }
}
