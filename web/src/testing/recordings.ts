/** Recordings for tests of the player: moments with times, kinds and states. */

import type { Panel, ReplayMoments, ReplayTimeline } from "@/api/schema"
import { STEPS } from "@/features/transcript/replay/moments"
import type { Recording } from "@/features/transcript/replay/player"

const TOKENS = { input: 0, output: 0, cache_creation: 0, cache_creation_5m: 0, cache_creation_1h: 0, cache_read: 0, web_searches: 0, web_fetches: 0 }

export const EMPTY_PANEL: Panel = {
  work: { status: "idle", model: null, permission_mode: null },
  spent: { tokens: TOKENS, is_lower_bound: false, cost_usd: null, why_no_cost: null, context_tokens: null, context_window: null },
  todos: [],
  todos_left_out: 0,
  files: [],
  calls: [],
  agents: [],
  waits: [],
}

export interface MadeMoment {
  atMs: number
  steps?: (keyof typeof STEPS)[]
  /** The status of the main agent from this moment on. */
  status?: string
}

export function momentId(number: number): string {
  return `2026-03-01T10:00:00.000Z!0!session!${String(number).padStart(12, "0")}`
}

/** A recording of these moments, in chunks. `growths` belong to the first chunk. */
export function recordingOf(made: readonly MadeMoment[], chunk = 1000, growths: ReplayMoments["growths"] = []): Recording & { asked: number[]; add(moment: MadeMoment): void } {
  const all = [...made]
  const asked: number[] = []
  const moment = (number: number) => ({ id: momentId(number), number, at_ms: all[number]?.atMs ?? 0, time: null })
  const version = () => `v${all.length}`
  const numberOf = (at: string): number => all.findLastIndex((_, number) => momentId(number) <= at)
  return {
    asked,
    add: (each) => void all.push(each),
    timeline: async (): Promise<ReplayTimeline> => ({
      version: version(),
      started_at: "2026-03-01T10:00:00.000Z",
      duration_ms: all.at(-1)?.atMs ?? 0,
      moments: all.length,
      chunk,
      last: all.length === 0 ? null : moment(all.length - 1),
      lanes: [],
      lanes_left_out: 0,
      marks: [],
      marks_left_out: 0,
      has_streamed_text: growths.length > 0,
    }),
    moments: async (wanted) => {
      const first = Math.floor(wanted / chunk) * chunk
      asked.push(first)
      const part = all.slice(first, first + chunk)
      const before = all.slice(0, first).findLast((each) => each.status !== undefined)?.status
      return {
        version: version(),
        first,
        ids: part.map((_, index) => momentId(first + index)),
        at_ms: part.map((each) => each.atMs),
        steps: part.map((each) => (each.steps ?? []).reduce((sum, kind) => sum | STEPS[kind], 0)),
        panel: { ...EMPTY_PANEL, work: { ...EMPTY_PANEL.work, status: before ?? "idle" } },
        changes: part.flatMap((each, index) =>
          each.status === undefined
            ? []
            : [{ moment: first + index, work: { ...EMPTY_PANEL.work, status: each.status }, spent: null, todos: null, todos_left_out: 0, files: null, calls: null, agents: null, waits: null }],
        ),
        growths: first === 0 ? growths : [],
      }
    },
    state: async (at) => {
      const number = numberOf(at)
      if (number < 0) throw new Error("There is no such moment.")
      return { version: version(), moment: moment(number), panel: EMPTY_PANEL }
    },
    step: async (at, to, isBack) => {
      const from = numberOf(at)
      const found = all.map((each, number) => ({ number, is: each.steps?.includes(to) ?? false })).filter(({ number, is }) => is && (isBack ? number < from : number > from))
      const number = (isBack ? found.at(-1) : found[0])?.number
      if (number === undefined) throw new Error(`There is no ${to} there.`)
      return moment(number)
    },
  }
}
