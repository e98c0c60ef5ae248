import { useSyncExternalStore } from "react"

/**
 * The current time as a value that changes periodically. All users of the same interval share one timer, which stops
 * while the page is hidden.
 */
class Clock {
  #now = Date.now()
  #timer = 0
  readonly #readers = new Set<() => void>()
  readonly #stepMs: number

  constructor(stepMs: number) {
    this.#stepMs = stepMs
  }

  readonly read = () => this.#now

  readonly subscribe = (reader: () => void) => {
    this.#readers.add(reader)
    if (this.#readers.size === 1) {
      this.#tick()
      document.addEventListener("visibilitychange", this.#tick)
    }
    return () => {
      this.#readers.delete(reader)
      if (this.#readers.size === 0) {
        window.clearTimeout(this.#timer)
        document.removeEventListener("visibilitychange", this.#tick)
      }
    }
  }

  readonly #tick = () => {
    window.clearTimeout(this.#timer)
    if (document.hidden) return
    this.#now = Date.now()
    this.#timer = window.setTimeout(this.#tick, this.#stepMs)
    for (const reader of this.#readers) reader()
  }
}

const clocks = new Map<number, Clock>()

function clockOf(stepMs: number): Clock {
  const found = clocks.get(stepMs)
  if (found) return found
  const made = new Clock(stepMs)
  clocks.set(stepMs, made)
  return made
}

/** Milliseconds since the epoch, renewed every `stepMs`. */
export function useNow(stepMs = 15_000): number {
  const clock = clockOf(stepMs)
  return useSyncExternalStore(clock.subscribe, clock.read, clock.read)
}
