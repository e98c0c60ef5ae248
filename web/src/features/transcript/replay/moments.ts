/** The moments of a conversation, as far as they are loaded, in chunks. */

import type { ReplayStep } from "@/api/backend"
import type { Panel, PanelChange, ReplayGrowth, ReplayMoments, ReplayTimeline } from "@/api/schema"
import { lastUpTo } from "./pace"

/** What a moment can be a step for, with its bit in the `steps` of a chunk. */
export const STEPS = { row: 1, call: 2, turn: 4, prompt: 8, edit: 16, error: 32, question: 64, compaction: 128 } as const satisfies Record<ReplayStep, number>

export class Moments {
  readonly timeline: ReplayTimeline
  readonly #chunks = new Map<number, ReplayMoments>()
  readonly #growths = new Map<string, ReplayGrowth>()
  #panel: { version: string; number: number; panel: Panel } | null = null

  constructor(timeline: ReplayTimeline) {
    this.timeline = timeline
  }

  get count(): number {
    return this.timeline.moments
  }

  get isComplete(): boolean {
    return this.missing() === null
  }

  /** Returns the number of the first moment that is not loaded; null if all are. */
  missing(): number | null {
    for (let first = 0; first < this.count; first += this.timeline.chunk) if (!this.#chunks.has(first)) return first
    return null
  }

  put(chunk: ReplayMoments): void {
    this.#chunks.set(chunk.first, chunk)
    this.#panel = null
    for (const growth of chunk.growths) this.#growths.set(growthKey(growth.item, growth.block), growth)
  }

  has(number: number): boolean {
    return this.#chunkOf(number) !== undefined
  }

  id(number: number): string | null {
    const chunk = this.#chunkOf(number)
    return chunk?.ids[number - chunk.first] ?? null
  }

  atMs(number: number): number | null {
    const chunk = this.#chunkOf(number)
    return chunk?.at_ms[number - chunk.first] ?? null
  }

  /** Returns the times of all moments; those of the lanes and marks while not all moments are loaded. */
  times(): number[] {
    if (this.isComplete) return this.#inOrder().flatMap((chunk) => chunk.at_ms)
    const { lanes, marks, duration_ms } = this.timeline
    const edges = lanes.flatMap((lane) => lane.spans.flatMap((span) => [span.from_ms, span.to_ms]))
    return [0, ...edges, ...marks.map((mark) => mark.at_ms), duration_ms].toSorted((a, b) => a - b)
  }

  /** Returns the number of the moment at a time of the clock, at least 0; null if its chunk is not loaded. */
  numberAt(clockMs: number): number | null {
    if (this.count === 0) return null
    if (clockMs >= this.timeline.duration_ms) return this.count - 1
    for (const chunk of this.#inOrder()) {
      const next = this.#chunks.get(chunk.first + this.timeline.chunk)
      const end = next?.at_ms[0] ?? (chunk.first + chunk.ids.length >= this.count ? Infinity : (chunk.at_ms.at(-1) ?? 0))
      if (clockMs < (chunk.at_ms[0] ?? 0)) return chunk.first === 0 ? 0 : null
      if (clockMs < end || chunk.at_ms.at(-1) === clockMs) return chunk.first + Math.max(0, lastUpTo(chunk.at_ms, clockMs))
    }
    return null
  }

  /** Returns the number of the last moment that is not after this id; null if its chunk is not loaded. */
  numberOf(id: string): number | null {
    const { last } = this.timeline
    if (last !== null && id >= last.id) return last.number
    for (const chunk of this.#inOrder()) {
      const at = chunk.ids.findLastIndex((each) => each <= id)
      const isLast = at === chunk.ids.length - 1 && chunk.ids[at] !== id
      const next = this.#chunks.get(chunk.first + this.timeline.chunk)?.ids[0]
      if (at < 0 && chunk.first === 0) return 0
      if (at >= 0 && (!isLast || (next !== undefined && next > id))) return chunk.first + at
    }
    return null
  }

  /**
   * Returns the number of the next moment of a kind; `undefined` if moments that are not loaded may have one, null if
   * there is none.
   */
  step(from: number, kind: ReplayStep, isBack: boolean): number | null | undefined {
    const bit = STEPS[kind]
    const by = isBack ? -1 : 1
    for (let number = from + by; number >= 0 && number < this.count; number += by) {
      const chunk = this.#chunkOf(number)
      if (chunk === undefined) return undefined
      if (((chunk.steps[number - chunk.first] ?? 0) & bit) !== 0) return number
    }
    return null
  }

  /** Returns the state at a moment; null if its chunk is not loaded. It is what the server says, and nothing else. */
  panel(number: number): Panel | null {
    const chunk = this.#chunkOf(number)
    if (chunk === undefined) return null
    const known = this.#panel
    const isLater = known !== null && known.version === chunk.version && known.number <= number && known.number >= chunk.first
    let panel = isLater ? known.panel : chunk.panel
    const after = isLater ? known.number : chunk.first - 1
    for (const change of chunk.changes) if (change.moment > after && change.moment <= number) panel = changed(panel, change)
    this.#panel = { version: chunk.version, number, panel }
    return panel
  }

  growth(item: string, block: number): ReplayGrowth | null {
    return this.#growths.get(growthKey(item, block)) ?? null
  }

  /** Whether some text is growing at this moment. */
  isGrowing(number: number, clockMs: number): boolean {
    const [id, chunk] = [this.id(number), this.#chunkOf(number)]
    if (id === null || chunk === undefined) return false
    const before = this.#chunks.get(chunk.first - this.timeline.chunk)
    return [chunk, before].some((each) => each?.growths.some((growth) => growth.moment <= id && clockMs < (growth.at_ms.at(-1) ?? 0)))
  }

  /**
   * Returns the moments of a later timeline of the same conversation, with the chunks that are still valid. Only the last
   * chunk can have grown; if other moments were inserted, everything is loaded again.
   */
  continued(timeline: ReplayTimeline, last: ReplayMoments): Moments {
    const next = new Moments(timeline)
    const before = this.#chunks.get(last.first)
    const isSame = timeline.chunk === this.timeline.chunk && before?.ids.every((id, index) => last.ids[index] === id)
    if (isSame) for (const chunk of this.#inOrder()) if (chunk.first < last.first) next.put({ ...chunk, version: timeline.version })
    next.put(last)
    return next
  }

  #chunkOf(number: number): ReplayMoments | undefined {
    if (number < 0 || number >= this.count) return undefined
    return this.#chunks.get(Math.floor(number / this.timeline.chunk) * this.timeline.chunk)
  }

  #inOrder(): ReplayMoments[] {
    return [...this.#chunks.values()].toSorted((a, b) => a.first - b.first)
  }
}

/** Returns the panel after a change; a group that is null did not change. */
export function changed(panel: Panel, change: PanelChange): Panel {
  const files = new Map(panel.files.map((file) => [file.path, file]))
  for (const file of change.files ?? []) {
    if (file.versions === 0) files.delete(file.path)
    else files.set(file.path, file)
  }
  return {
    work: change.work ?? panel.work,
    spent: change.spent ?? panel.spent,
    todos: change.todos ?? panel.todos,
    todos_left_out: change.todos === null ? panel.todos_left_out : change.todos_left_out,
    files: change.files === null ? panel.files : [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    calls: change.calls ?? panel.calls,
    agents: change.agents ?? panel.agents,
    waits: change.waits ?? panel.waits,
  }
}

function growthKey(item: string, block: number): string {
  return `${block}\n${item}`
}
