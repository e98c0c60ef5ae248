/** The agents that Chorus runs, as they were last told. Pure. */

import type { RunShown } from "./schema"

export interface KnownRuns {
  /** Told by the server: those at work, and those that ended lately. */
  told: readonly RunShown[]
  /** Started on this page and not told of yet: what is told may be older than they are. */
  begun: readonly RunShown[]
}

export const NO_RUNS: KnownRuns = { told: [], begun: [] }

export function withTold({ begun }: KnownRuns, told: readonly RunShown[]): KnownRuns {
  const ids = new Set(told.map(({ id }) => id))
  return { told, begun: begun.filter(({ id }) => !ids.has(id)) }
}

export function withBegun({ told, begun }: KnownRuns, run: RunShown): KnownRuns {
  if (told.some(({ id }) => id === run.id)) return { told, begun }
  return { told, begun: [...begun.filter(({ id }) => id !== run.id), run] }
}

/** All of them, the newest first. */
export function allRuns({ told, begun }: KnownRuns): readonly RunShown[] {
  return [...told, ...begun].toSorted((a, b) => (a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0))
}

export function isLiving({ state }: Pick<RunShown, "state">): boolean {
  return state !== "ended" && state !== "lost"
}

/**
 * The run that works on a conversation, or the last that did: found by the conversation's name, and by its session where
 * that was taken up elsewhere. One that lives counts more than one that ended, whenever it was.
 */
export function runOf(runs: readonly RunShown[], name: string): RunShown | null {
  const session = name.slice(name.lastIndexOf("/") + 1)
  const own = runs.filter((run) => run.conversation === name || run.session === session)
  return own.find(isLiving) ?? own[0] ?? null
}
