/** The runs of Chorus as last reported. Pure. */

import type { RunShown } from "./schema"

export interface KnownRuns {
  /** Reported by the server: active runs, and those that ended recently. */
  reported: readonly RunShown[]
  /** Started on this page and not reported yet: the last report may be older than they are. */
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

/** Returns all runs, newest first. */
export function allRuns({ reported, started }: KnownRuns): readonly RunShown[] {
  return [...reported, ...started].toSorted((a, b) => (a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0))
}

export function isLiving({ state }: Pick<RunShown, "state">): boolean {
  return state !== "ended" && state !== "lost"
}

/**
 * Returns the run that works on a conversation, or the last one that did. It is found by the name of the conversation,
 * or by its session id if the session was resumed elsewhere. An active run has priority over an ended one, whichever is
 * newer.
 */
export function runOf(runs: readonly RunShown[], name: string): RunShown | null {
  const session = name.slice(name.lastIndexOf("/") + 1)
  const own = runs.filter((run) => run.conversation === name || run.session === session)
  return own.find(isLiving) ?? own[0] ?? null
}
