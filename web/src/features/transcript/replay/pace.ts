/** How fast moments are played: long pauses are shortened, as in `core/replay/pace.py`. Pure. */

export const SPEEDS: readonly number[] = [0.5, 1, 2, 4, 8, 16, 32, 64]
/** Longer pauses are shortened to this, unless the reader chooses otherwise. */
export const IDLE_MS = 2000

/** A gap between two moments that is played shorter than it was. */
export interface Pause {
  /** The position of the moment before it. */
  after: number
  real_ms: number
  played_ms: number
}

/** Returns when each moment is played at speed 1, in milliseconds since the first one; null shortens nothing. */
export function playedTimes(atMs: readonly number[], idleMs: number | null): number[] {
  const found: number[] = []
  let played = 0
  for (const [index, at] of atMs.entries()) {
    const gap = index === 0 ? 0 : Math.max(0, at - (atMs[index - 1] ?? at))
    played += idleMs === null ? gap : Math.min(gap, idleMs)
    found.push(played)
  }
  return found
}

/** Returns the gaps that are shortened, with their real length. */
export function pauses(atMs: readonly number[], idleMs: number | null): Pause[] {
  if (idleMs === null) return []
  return atMs.slice(1).flatMap((at, after) => {
    const real_ms = at - (atMs[after] ?? at)
    return real_ms > idleMs ? [{ after, real_ms, played_ms: idleMs }] : []
  })
}

export function faster(speed: number): number {
  return SPEEDS.find((each) => each > speed) ?? SPEEDS.at(-1) ?? speed
}

export function slower(speed: number): number {
  return SPEEDS.findLast((each) => each < speed) ?? SPEEDS[0] ?? speed
}

/** Returns the index of the last of the rising numbers that is not above `value`; -1 if all of them are above. */
export function lastUpTo(rising: readonly number[], value: number): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rising[middle] ?? Infinity) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Converts between the clock of the recording and the time for which it is played. */
export class Axis {
  readonly #real: readonly number[]
  readonly #played: readonly number[]

  /** `times` are the rising times at which something happened, in milliseconds. */
  constructor(times: readonly number[], idleMs: number | null) {
    this.#real = times
    this.#played = playedTimes(times, idleMs)
  }

  /** How long everything takes to play at speed 1. */
  get lengthMs(): number {
    return this.#played.at(-1) ?? 0
  }

  toPlayed(realMs: number): number {
    return between(this.#real, this.#played, realMs)
  }

  toReal(playedMs: number): number {
    return between(this.#played, this.#real, playedMs)
  }

  /** Returns the place of a time on the axis, from 0 to 1. */
  share(realMs: number): number {
    return this.lengthMs === 0 ? 0 : this.toPlayed(realMs) / this.lengthMs
  }

  /** Returns the real length of the shortened pause that contains this time; null if nothing is shortened there. */
  pauseAt(realMs: number): number | null {
    const at = lastUpTo(this.#real, realMs)
    const [from, to] = [this.#real[at], this.#real[at + 1]]
    if (from === undefined || to === undefined || realMs === from) return null
    const played = (this.#played[at + 1] ?? 0) - (this.#played[at] ?? 0)
    return to - from > played ? to - from : null
  }

  /** Returns the shortened pauses as times: from, to. */
  get shortened(): [number, number][] {
    const found: [number, number][] = []
    for (const [index, to] of this.#real.entries()) {
      const from = this.#real[index - 1]
      if (from === undefined) continue
      if (to - from > (this.#played[index] ?? 0) - (this.#played[index - 1] ?? 0)) found.push([from, to])
    }
    return found
  }
}

function between(from: readonly number[], to: readonly number[], value: number): number {
  const at = lastUpTo(from, value)
  if (at < 0) return to[0] ?? 0
  const [start, end, first, last] = [from[at] ?? 0, from[at + 1], to[at] ?? 0, to[at + 1]]
  if (end === undefined || last === undefined || end === start) return first
  return first + ((value - start) / (end - start)) * (last - first)
}
