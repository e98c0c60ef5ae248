/** Which lines of a long text are shown. */

export interface Cut {
  head: number
  tail: number
  left: number
}

/** More lines than this are shown in steps, because a page cannot hold them all. */
export const STEP = 2000

/**
 * Returns how many lines are shown before and after the cut if `total` lines are folded to `head` + `tail`. A fold that
 * would hide only one or two lines is left out.
 */
export function folded(total: number, head: number, tail: number): Cut {
  if (total <= head + tail + 3) return { head: total, tail: 0, left: 0 }
  return { head, tail, left: total - head - tail }
}

/** The same for a text that was opened `steps` times. */
export function opened(total: number, steps: number): Cut {
  const head = Math.min(total, steps * STEP)
  return { head, tail: 0, left: total - head }
}
