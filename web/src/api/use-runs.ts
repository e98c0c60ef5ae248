import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useMemo } from "react"
import { useBackend, useConnection, useLiveEvents } from "./follow"
import { allRuns, type KnownRuns, NO_RUNS, runOf, withStarted, withReported } from "./runs"
import type { RunShown } from "./schema"

const KEY = ["runs"]
/** How often to poll while the socket is not open. */
const ASK_MS = 5000

/** The active runs of Chorus, and those that ended recently; newest first. */
export function useRuns(): readonly RunShown[] {
  const backend = useBackend()
  const cache = useQueryClient()
  const isLive = useConnection().phase === "live"
  const known = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const { runs } = await backend.runs(signal)
      return withReported(cache.getQueryData<KnownRuns>(KEY) ?? NO_RUNS, runs)
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: isLive ? false : ASK_MS,
  }).data
  return useMemo(() => allRuns(known ?? NO_RUNS), [known])
}

/** The run that works on a conversation, or the last one that did. */
export function useRunOf(name: string): RunShown | null {
  const runs = useRuns()
  return useMemo(() => runOf(runs, name), [runs, name])
}

/** Returns a function that adds a run that was just started, so that it is shown before the server reports it. */
export function useAddStartedRun(): (run: RunShown) => void {
  const cache = useQueryClient()
  return useCallback(
    (run) => void cache.setQueryData<KnownRuns>(KEY, (known) => withStarted(known ?? NO_RUNS, run)),
    [cache],
  )
}

/** Keeps the data of the hooks above up to date. Mounted once. */
export function useLiveRuns(): void {
  const cache = useQueryClient()
  useLiveEvents((event) => {
    if (event.type === "runs") {
      cache.setQueryData<KnownRuns>(KEY, (known) => withReported(known ?? NO_RUNS, event.runs))
    } else if (event.type === "reread") void cache.invalidateQueries({ queryKey: KEY })
  })
}
