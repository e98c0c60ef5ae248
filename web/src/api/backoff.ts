const FIRST_MS = 400
const LONGEST_MS = 15_000

/**
 * How long to wait before the next try, after `failures` in a row. Doubles each time, and by chance (0 ≤ `chance` < 1)
 * lies between half of that and all of it, so that many pages do not come back at the same instant.
 */
export function delayMs(failures: number, chance: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10))
  return Math.round(longest / 2 + (longest / 2) * chance)
}
