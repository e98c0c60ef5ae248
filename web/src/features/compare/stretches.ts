/** Divides the pairs of a comparison into stretches, so that long parts in which both are the same can be folded. Pure. */

import type { ComparedPair } from "@/api/schema"

/** How many steps that both have stay visible next to steps that differ. */
const AROUND = 3
/** Fewer steps than this are not worth a line that hides them. */
const FEWEST = 4

export interface Stretch {
  /** The position of its first pair. */
  start: number
  pairs: readonly ComparedPair[]
  isFolded: boolean
  /** Whether it lies before the point where the conversations part: its steps are shown once. */
  isStem: boolean
}

export function stretches(pairs: readonly ComparedPair[], stem: number): Stretch[] {
  const found: Stretch[] = []
  const put = (start: number, end: number, isFolded: boolean) => {
    if (end <= start) return
    const isStem = start < stem
    const last = found.at(-1)
    if (last !== undefined && !isFolded && !last.isFolded && last.isStem === isStem) {
      last.pairs = [...last.pairs, ...pairs.slice(start, end)]
    } else found.push({ start, pairs: pairs.slice(start, end), isFolded, isStem })
  }
  const divide = (start: number, end: number) => {
    let at = start
    while (at < end) {
      let after = at
      while (after < end && isSame(pairs[after])) after += 1
      const from = at === 0 ? at : at + AROUND
      const to = after - AROUND
      if (to - from >= FEWEST) {
        put(at, from, false)
        put(from, to, true)
        put(to, after, false)
      } else put(at, after, false)
      at = after
      while (at < end && !isSame(pairs[at])) at += 1
      put(after, at, false)
    }
  }
  const edge = Math.min(stem, pairs.length)
  divide(0, edge)
  divide(edge, pairs.length)
  return found
}

function isSame(pair: ComparedPair | undefined): boolean {
  return pair !== undefined && (pair.relation === "shared" || pair.relation === "same") && !pair.has_other_result
}
