/** The agents that Chorus runs, as they were last reported. Pure. */

import type { RunShown } from "./schema"

export interface KnownRuns {
  /** Told by the server: those at work, and those that ended lately. */
  reported: readonly RunShown[]
  /** Started on this page and not reported of yet: what is reported may be older than they are. */
  started: readonly RunShown[]
}

export const NO_RUNS: KnownRuns = { reported: [], started: [] }

export function withReported({ started }: KnownRuns, reported: readonly RunShown[]): KnownRuns {
  const ids = new Set(reported.map(({ id }) => id))
  return { reported, started: started.filter(({ id }) => !ids.has(id)) }
}

export function withStarted({ reported, started }: KnownRuns, run: RunShown): KnownRuns {
  if (reported.some(({ id }) => id === run.id)) return { reported, started }
  return { reported, started: [...started.filter(({ id }) => id !== run.id), run] }
}

/** All of them, the newest first. */
export function allRuns({ reported, started }: KnownRuns): readonly RunShown[] {
  return [...reported, ...started].toSorted((a, b) => (a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0))
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
