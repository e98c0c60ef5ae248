import { useSyncExternalStore } from "react"

/** Shorter differences come from the way of a request, and from clocks that are set by hand. */
const OFF_MS = 30_000
let aheadMs = 0
const watchers = new Set<() => void>()

/** Notes what time it is for the computer that the records come from; the clock of a phone may be wrong by an hour. */
export function noteOtherClock(ms: number): void {
  const found = ms - Date.now()
  const next = Math.abs(found) < OFF_MS ? 0 : found
  if (Math.abs(next - aheadMs) < OFF_MS) return
  aheadMs = next
  for (const watcher of watchers) watcher()
}

/** Milliseconds since the epoch, by the clock of the computer that the records come from. */
export function nowMs(): number {
  return Date.now() + aheadMs
}

/** Whether the clock of this device differs from that of the computer. */
export function useClockIsOff(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => aheadMs !== 0,
  )
}

/**
 * The current time as a value that changes periodically. All users of the same interval share one timer, which stops
 * while the page is hidden.
 */
class Clock {
  #now = nowMs()
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
      watchers.add(this.#tick)
    }
    return () => {
      this.#readers.delete(reader)
      if (this.#readers.size === 0) {
        window.clearTimeout(this.#timer)
        document.removeEventListener("visibilitychange", this.#tick)
        watchers.delete(this.#tick)
      }
    }
  }

  readonly #tick = () => {
    window.clearTimeout(this.#timer)
    if (document.hidden) return
    this.#now = nowMs()
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
