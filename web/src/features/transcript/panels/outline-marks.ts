/** The position of the reader among the marks of an outline. Pure. */

import type { OutlineMark, PageRow } from "@/api/schema"
import { isPrompt } from "@/parts/authors"
import { compareKeys, placeOf, type RowKey } from "../list/rows"

export const MARK_NAMES: Record<OutlineMark["kind"], string> = {
  prompt: "Prompt",
  turn: "Turn ended",
  error: "Error",
  compaction: "Compacted",
  plan: "Plan",
}

/** Returns the index of the last mark at or before a row; -1 before the first one. */
export function currentMark(marks: readonly OutlineMark[], key: RowKey | null): number {
  if (key === null) return -1
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const mark = marks[middle]
    if (mark !== undefined && compareKeys(mark.key, key) <= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

/**
 * Returns the position of a row in the thread, from 0 to 1, estimated from the marks around it and the loaded rows
 * between them.
 */
export function placeInThread(marks: readonly OutlineMark[], rows: readonly PageRow[], key: RowKey | null): number {
  if (key === null) return 1
  const index = currentMark(marks, key)
  const [before, after] = [marks[index], marks[index + 1]]
  const from = before?.at ?? 0
  const to = after?.at ?? 1
  const first = before ? placeOf(rows, before.key) : 0
  const last = after ? placeOf(rows, after.key) : rows.length
  if (last - first < 2) return from
  return from + ((to - from) * Math.max(0, placeOf(rows, key) - first)) / (last - first)
}

const MAX_TICKS = 300
const RANKS: Record<OutlineMark["kind"], number> = { error: 0, compaction: 1, plan: 1, prompt: 2, turn: 3 }

/** Returns at most as many marks as a strip can show: the most important one of each section. */
export function thinned(marks: readonly OutlineMark[]): OutlineMark[] {
  const telling = marks.filter((mark) => mark.kind !== "turn")
  if (telling.length <= MAX_TICKS) return telling
  const kept = new Map<number, OutlineMark>()
  for (const mark of telling) {
    const stretch = Math.floor(mark.at * MAX_TICKS)
    const known = kept.get(stretch)
    if (known === undefined || RANKS[mark.kind] < RANKS[known.kind]) kept.set(stretch, mark)
  }
  return [...kept.values()]
}

/** Returns the next or previous mark that is a prompt. */
export function neighbourPrompt(marks: readonly OutlineMark[], key: RowKey | null, step: 1 | -1): OutlineMark | null {
  const prompts = marks.filter((mark) => mark.kind === "prompt")
  if (key === null) return (step < 0 ? prompts.at(-1) : null) ?? null
  if (step > 0) return prompts.find((mark) => compareKeys(mark.key, key) > 0) ?? null
  return prompts.findLast((mark) => compareKeys(mark.key, key) < 0) ?? null
}

/** Returns the id of the next or previous prompt among the loaded rows. */
export function neighbourRow(rows: readonly PageRow[], from: number, step: 1 | -1): string | undefined {
  for (let at = from + step; at >= 0 && at < rows.length; at += step) {
    const row = rows[at]?.row
    if (row?.type === "message" && isPrompt(row.author)) return row.id
  }
  return undefined
}
