/** The lines of a diff with their numbers on both sides, and the words that changed inside a line. */

import { diffWordsWithSpace } from "diff"
import type { Hunk } from "@/blocks/shapes"

export type Mark = readonly [from: number, to: number]

export interface ChangedLine {
  kind: "same" | "added" | "removed" | "said"
  /** Line numbers before and after; null on a side that does not contain the line, and if they are unknown. */
  before: number | null
  after: number | null
  text: string
  /** Characters of `text` that changed, if one line replaced another. */
  marks: readonly Mark[]
}

const LONGEST_LINE = 500
const MAX_PAIRS = 200
/** Two lines that share less than this are not treated as one changed line. */
const LEAST_SHARED = 0.3

/**
 * Returns the lines of each hunk. `said` is a remark of the diff itself, for example that a file ends without a line
 * feed.
 */
export function changedLines(hunks: readonly Hunk[]): ChangedLine[][] {
  const room = { pairs: MAX_PAIRS }
  return hunks.map((hunk) => withMarks(numbered(hunk), room))
}

export function tally(hunks: readonly Hunk[]): { added: number; removed: number } {
  let added = 0
  let removed = 0
  for (const hunk of hunks)
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added += 1
      else if (line.startsWith("-")) removed += 1
    }
  return { added, removed }
}

function numbered(hunk: Hunk): ChangedLine[] {
  const before = counting(hunk.old_start)
  const after = counting(hunk.new_start)
  return hunk.lines.map((line) => {
    const text = line.slice(1).replace(/\n+$/, "").replaceAll("\n", " ")
    switch (line[0]) {
      case "+":
        return { kind: "added", before: null, after: after(), text, marks: [] }
      case "-":
        return { kind: "removed", before: before(), after: null, text, marks: [] }
      case "\\":
        return { kind: "said", before: null, after: null, text: text.trim(), marks: [] }
      default:
        return { kind: "same", before: before(), after: after(), text, marks: [] }
    }
  })
}

function counting(from: number | null): () => number | null {
  let next = from
  return () => (next === null ? null : next++)
}

/** Pairs each removed line with the added line that replaces it, and marks the differences. */
function withMarks(lines: ChangedLine[], room: { pairs: number }): ChangedLine[] {
  const shown = [...lines]
  let at = 0
  while (at < shown.length) {
    const removed = runFrom(shown, at, "removed")
    const added = runFrom(shown, at + removed, "added")
    for (let index = 0; index < Math.min(removed, added) && room.pairs > 0; index += 1) {
      const [old, fresh] = [shown[at + index], shown[at + removed + index]]
      if (!old || !fresh) continue
      room.pairs -= 1
      const [oldMarks, freshMarks] = wordMarks(old.text, fresh.text)
      shown[at + index] = { ...old, marks: oldMarks }
      shown[at + removed + index] = { ...fresh, marks: freshMarks }
    }
    at += Math.max(1, removed + added)
  }
  return shown
}

function runFrom(lines: readonly ChangedLine[], from: number, kind: ChangedLine["kind"]): number {
  let at = from
  while (lines[at]?.kind === kind) at += 1
  return at - from
}

function wordMarks(old: string, fresh: string): [Mark[], Mark[]] {
  if (old.length > LONGEST_LINE || fresh.length > LONGEST_LINE) return [[], []]
  const oldMarks: Mark[] = []
  const freshMarks: Mark[] = []
  let [oldAt, freshAt, shared] = [0, 0, 0]
  for (const part of diffWordsWithSpace(old, fresh)) {
    const length = part.value.length
    if (part.added) freshMarks.push([freshAt, freshAt + length])
    else if (part.removed) oldMarks.push([oldAt, oldAt + length])
    else shared += part.value.trim().length
    if (!part.added) oldAt += length
    if (!part.removed) freshAt += length
  }
  const whole = Math.max(old.trim().length, fresh.trim().length)
  return whole > 0 && shared / whole >= LEAST_SHARED ? [oldMarks, freshMarks] : [[], []]
}
