/** A diff in two columns: each removed line beside the line that replaced it. Pure. */

import type { ChangedLine } from "./changes"

export interface Pair {
  before: ChangedLine | null
  after: ChangedLine | null
}

/** Returns the lines of a hunk in pairs. Remarks of the diff itself stay with the side that they are about. */
export function sidesOf(lines: readonly ChangedLine[]): Pair[] {
  const pairs: Pair[] = []
  let removed: ChangedLine[] = []
  let added: ChangedLine[] = []
  let isAfter = false
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      pairs.push({ before: removed[at] ?? null, after: added[at] ?? null })
    }
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === "same") {
      flush()
      pairs.push({ before: line, after: line })
      isAfter = true
    } else if (line.kind === "said") {
      const last = pairs.at(-1)
      if (removed.length === 0 && added.length === 0 && last !== undefined) pairs.push({ before: line, after: line })
      else (isAfter ? added : removed).push(line)
    } else {
      // A removed line after an added one begins the next change.
      if (line.kind === "removed" && added.length > 0) flush()
      isAfter = line.kind === "added"
      ;(isAfter ? added : removed).push(line)
    }
  }
  flush()
  return pairs
}
