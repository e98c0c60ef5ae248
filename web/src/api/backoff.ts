const FIRST_MS = 400
const LONGEST_MS = 15_000

/**
 * Returns how long to wait before the next try, after this number of `failures` in a row. The time doubles with each
 * failure. `chance` (0 ≤ chance < 1) places it between half of that and all of it, so that many pages do not reconnect
 * at the same moment.
 */
export function delayMs(failures: number, chance: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10))
  return Math.round(longest / 2 + (longest / 2) * chance)
}
