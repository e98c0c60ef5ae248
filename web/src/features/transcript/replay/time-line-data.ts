/** What the time line draws: marks that lie close together are joined. Pure. */

import type { ReplayLane, ReplayMark, ReplaySpan } from "@/api/schema"
import { duration } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import type { Axis } from "./pace"

export const MARK_WORDS: Record<ReplayMark["kind"], string> = {
  prompt: "Prompt",
  edit: "File edit",
  error: "Error",
  question: "Question",
  compaction: "Compaction",
}

/** If several kinds of marks are joined, the first of these names the mark. */
const KINDS: readonly ReplayMark["kind"][] = ["error", "prompt", "question", "compaction", "edit"]
const WORDS_CHARS = 120
const LINES = 4

export interface MarkGroup {
  kind: ReplayMark["kind"]
  /** The place on the axis, from 0 to 1. */
  share: number
  marks: readonly ReplayMark[]
  words: string
}

/** Returns the marks in order, joined where there is no room for each of them; `slots` is how many fit side by side. */
export function joinedMarks(marks: readonly ReplayMark[], axis: Axis, slots: number): MarkGroup[] {
  const groups = new Map<number, ReplayMark[]>()
  for (const mark of marks) {
    const slot = Math.round(axis.share(mark.at_ms) * slots)
    const group = groups.get(slot)
    if (group === undefined) groups.set(slot, [mark])
    else group.push(mark)
  }
  return [...groups.values()].map((group) => {
    const kind = KINDS.find((each) => group.some((mark) => mark.kind === each)) ?? "edit"
    const first = group.find((mark) => mark.kind === kind) ?? group[0]
    return { kind, share: axis.share(first?.at_ms ?? 0), marks: group, words: wordsOf(group) }
  })
}

function wordsOf(marks: readonly ReplayMark[]): string {
  const lines = marks.slice(0, LINES).map((mark) => {
    const label = seenLine(mark.label).slice(0, WORDS_CHARS)
    return label === "" ? MARK_WORDS[mark.kind] : `${MARK_WORDS[mark.kind]}: ${label}`
  })
  return [...lines, ...(marks.length > LINES ? [`and ${marks.length - LINES} more`] : [])].join("\n")
}

/** Says what a span is and how long it took. */
export function spanWords(lane: ReplayLane, span: ReplaySpan): string {
  const what = seenLine(span.label) || seenLine(span.kind)
  const many = span.count > 1 ? `, ${span.count} times` : ""
  return `${seenLine(lane.label)}: ${what}, ${duration(span.to_ms - span.from_ms)}${many}`
}

/** Says what went on at a time: who worked, and what waited. */
export function activeWords(lanes: readonly ReplayLane[], clockMs: number): string {
  return lanes
    .flatMap((lane) => {
      const span = lane.spans.find((each) => each.from_ms <= clockMs && clockMs <= each.to_ms)
      return span === undefined ? [] : [`${seenLine(lane.label)}: ${seenLine(span.label) || seenLine(span.kind)}`]
    })
    .join("; ")
}

/** A time of the recording: `0:07`, `12:03`, `1:02:03`. */
export function clockWords(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const padded = (part: number): string => String(part).padStart(2, "0")
  return hours === 0 ? `${minutes}:${padded(seconds % 60)}` : `${hours}:${padded(minutes)}:${padded(seconds % 60)}`
}
