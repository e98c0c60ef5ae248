/** Random values that are the same in every run. */

export interface Chance {
  /** A whole number from 0 up to, not including, `below`. */
  number(below: number): number
  /** One of them. */
  pick<T>(all: readonly [T, ...T[]] | readonly T[]): T
  isTrue(likelihood: number): boolean
}

/** A small generator of good quality (mulberry32). */
export function chance(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const number = (below: number): number => Math.floor(next() * below)
  return {
    number,
    pick: (all) => {
      const found = all[number(all.length)]
      if (found === undefined) throw new Error("There is nothing to pick from")
      return found
    },
    isTrue: (likelihood) => next() < likelihood,
  }
}

/** Returns this many different texts created by `make`. */
export function distinct(count: number, make: (at: number) => string): string[] {
  const made = new Set<string>()
  for (let at = 0; made.size < count; at += 1) {
    if (at > 100 * count) throw new Error(`Only ${made.size} of ${count} texts are different`)
    made.add(make(at))
  }
  return [...made]
}
