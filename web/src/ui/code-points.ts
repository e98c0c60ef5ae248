/** The server counts characters, JavaScript counts UTF-16 units: outside the basic plane they differ. Pure. */

/** Returns the unit at which the character with this number begins; after the end, the end. */
export function unitsAt(text: string, points: number): number {
  if (isBasic(text)) return Math.max(0, Math.min(points, text.length))
  let units = 0
  let left = points
  for (const character of text) {
    if (left <= 0) break
    units += character.length
    left -= 1
  }
  return units
}

/** Returns how many characters are before this unit. */
export function pointsAt(text: string, units: number): number {
  const before = text.slice(0, units)
  return isBasic(before) ? before.length : Array.from(before).length
}

export interface Stretch {
  text: string
  isMarked: boolean
}

/**
 * Splits a text into marked and unmarked parts; marks are counted in characters. Overlapping marks, or marks outside
 * the text, do no harm.
 */
export function stretches(text: string, marks: readonly (readonly [number, number])[]): Stretch[] {
  const found: Stretch[] = []
  let from = 0
  for (const [start, end] of marks.toSorted((a, b) => a[0] - b[0])) {
    const first = Math.max(from, unitsAt(text, start))
    const last = unitsAt(text, end)
    if (last <= first) continue
    if (first > from) found.push({ text: text.slice(from, first), isMarked: false })
    found.push({ text: text.slice(first, last), isMarked: true })
    from = last
  }
  if (from < text.length) found.push({ text: text.slice(from), isMarked: false })
  return found
}

function isBasic(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text)
}
