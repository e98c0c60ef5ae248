import { type Backend, isProblem } from "./backend"
import { delayMs } from "./backoff"

export type Connection =
  | { phase: "connecting" }
  | { phase: "live" }
  | { phase: "reconnecting"; failures: number }
  /** The server does not answer; the page keeps trying. */
  | { phase: "unreachable" }
  | { phase: "logged out" }

type Socket = Pick<WebSocket, "send" | "close" | "addEventListener" | "readyState">

/** The outside world, which tests can replace. */
export interface Surroundings {
  socket(): Socket
  random(): number
  /** Milliseconds since the epoch. */
  now(): number
  later(run: () => void, ms: number): () => void
}

/** What the owner of a line does. */
interface Owner {
  /** The socket is open: say who you are. */
  opened(ticket: string): void
  heard(text: string): void
  /** The connection changed its phase. */
  became(): void
}

const UNREACHABLE_AFTER = 3
const SOCKET_PROTOCOL_ERROR = 4000
const CHECK_MS = 20_000
const CHECK_PATIENCE_MS = 10_000
const CONNECTING = 0

/** Returns the surroundings of a socket at this address of the server. */
export function inBrowser(path: string, protocol?: string): Surroundings {
  return {
    socket: () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`, protocol),
    random: Math.random,
    now: Date.now,
    later: (run, ms) => {
      const timer = window.setTimeout(run, ms)
      return () => window.clearTimeout(timer)
    },
  }
}

/** Keeps one socket open: gets a ticket for each, and waits longer after each failure. */
export class Line {
  #connection: Connection = { phase: "connecting" }
  #socket: Socket | null = null
  #isStarted = false
  #number = 0
  #failures = 0
  #cancelTry = () => {}
  #cancelCheck = () => {}
  #heardAt: number | null = null
  readonly #backend: Pick<Backend, "ticket">
  readonly #world: Surroundings
  readonly #owner: Owner

  constructor(backend: Pick<Backend, "ticket">, world: Surroundings, owner: Owner) {
    this.#backend = backend
    this.#world = world
    this.#owner = owner
  }

  get connection(): Connection {
    return this.#connection
  }

  /** When the server was last heard: what is shown is not older. Null if it never was. */
  get heardAt(): number | null {
    return this.#heardAt
  }

  /** The number of the current try: what an older one brings is out of date. */
  get number(): number {
    return this.#number
  }

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    if (this.#connection.phase !== "connecting") this.#become({ phase: "connecting" })
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

  say(said: object): void {
    this.#socket?.send(JSON.stringify(said))
  }

  /** The server knows who speaks: failures before that no longer count. */
  welcomed(): void {
    this.#failures = 0
    this.#checkLater()
    this.#become({ phase: "live" })
  }

  /** Gives this socket up and connects again after a while. */
  failed(): void {
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

  async #connect(): Promise<void> {
    this.#number += 1
    const number = this.#number
    let ticket: string
    try {
      ticket = (await this.#backend.ticket()).ticket
    } catch (error) {
      if (number !== this.#number) return
      if (isProblem(error, "not_logged_in")) {
        this.#isStarted = false
        this.#become({ phase: "logged out" })
      } else this.failed()
      return
    }
    if (number !== this.#number) return
    const socket = this.#world.socket()
    this.#socket = socket
    socket.addEventListener("open", () => {
      if (socket === this.#socket) this.#owner.opened(ticket)
    })
    socket.addEventListener("message", (event) => {
      if (socket !== this.#socket) return
      this.#heardAt = this.#world.now()
      this.#owner.heard(String(event.data))
    })
    socket.addEventListener("close", () => {
      if (socket === this.#socket) this.failed()
    })
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
        this.failed()
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

  #drop(): void {
    this.#cancelCheck()
    this.#number += 1
    const socket = this.#socket
    this.#socket = null
    if (socket === null) return
    // A socket that is closed before it opened would be reported as an error.
    if (socket.readyState === CONNECTING) socket.addEventListener("open", () => socket.close(SOCKET_PROTOCOL_ERROR))
    else socket.close(SOCKET_PROTOCOL_ERROR)
  }

  #become(connection: Connection): void {
    this.#connection = connection
    this.#owner.became()
  }
}
