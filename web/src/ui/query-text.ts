/** The text operations of a query field. Pure; positions are in characters, as the server counts. */

import { pointsAt, type Stretch, stretches, unitsAt } from "./code-points"

export interface Suggested {
  text: string
  start: number
  end: number
  hint: string
}

export interface Fault {
  message: string
  at: readonly [number, number] | null
}

/** What is known about a query while it is written. */
export interface Advice {
  suggestions: readonly Suggested[]
  problem: Fault | null
}

/** Returns the text with a suggestion applied, and the caret (in units) after it. */
export function taken(text: string, { text: words, start, end }: Suggested): { text: string; caret: number } {
  const before = text.slice(0, unitsAt(text, start))
  const after = text.slice(unitsAt(text, end))
  return { text: before + words + after, caret: before.length + words.length }
}

/** Splits the text into parts and marks what is wrong; an error at the very end is marked on an added space. */
export function underlined(text: string, at: readonly [number, number] | null): Stretch[] {
  if (at === null) return [{ text, isMarked: false }]
  const [start, end] = at
  const length = pointsAt(text, text.length)
  if (start >= length) return [...stretches(text, []), { text: " ", isMarked: true }]
  return stretches(text, [[start, Math.max(end, start + 1)]])
}
