import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import { type Backend, isProblem } from "@/api/backend"
import { changesSince } from "@/api/feed"
import { useSource } from "@/api/follow"
import type { Live } from "@/api/live"
import type { Changed } from "@/api/schema"
import { firstPage, type ListState, withChanges, withPage } from "./list-state"
import { BY_TIME, isByTime, type Sort } from "./sort"

const PAGE = 100
/** How much of the list is loaded again after a gap; further pages are loaded when the reader scrolls to them. */
const MAX_REREAD = 1000
const BATCH_MS = 60
const ASK_AGAIN_MS = 2500
const BUILDING_MS = 2000

/** The conversations that match a query; `useLiveConversations` keeps them up to date. */
export function useConversations(q: string, sort: Sort = BY_TIME) {
  const { backend, live } = useSource()
  const cache = useQueryClient()
  const loading = useRef<string | null>(null)

  const query = useQuery({
    queryKey: keyOf(q, sort),
    queryFn: ({ signal, queryKey }) => {
      const shown = cache.getQueryData<ListState>(queryKey)?.items.length ?? 0
      return loaded(backend, live, q, sort, Math.min(shown, MAX_REREAD), signal)
    },
    staleTime: Number.POSITIVE_INFINITY,
    // The unfiltered list is always kept up to date; a filtered one missed the changes while it was not on display.
    refetchOnMount: q === "" && isByTime(sort) ? false : "always",
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isProblem(state.error, "index_building") ? BUILDING_MS : false),
  })

  const loadMore = useCallback(async () => {
    const queryKey = keyOf(q, sort)
    const which = queryKey.join("\n")
    const before = cache.getQueryData<ListState>(queryKey)
    if (before === undefined || !before.hasMore || loading.current === which) return
    loading.current = which
    try {
      const page = await backend.conversations({ q, ...sort, start: before.items.length, limit: PAGE })
      cache.setQueryData<ListState>(queryKey, (list) => list && caughtUp(withPage(list, page), live, q))
    } catch {
      // The loaded rows stay; the next scroll tries again.
    } finally {
      if (loading.current === which) loading.current = null
    }
  }, [backend, cache, live, q, sort])

  return { ...query, loadMore }
}

/** Merges live changes into the list of a query, several frames at a time; null for none. Used once for each query. */
export function useLiveConversations(q: string | null, sort: Sort = BY_TIME): void {
  const { live } = useSource()
  const cache = useQueryClient()

  useEffect(() => {
    if (live === null || q === null) return
    const queryKey = keyOf(q, sort)
    let frames: Changed[] = []
    let mergeTimer = 0
    let askTimer = 0

    const merge = () => {
      const fresh = frames
      frames = []
      mergeTimer = 0
      const list = cache.getQueryData<ListState>(queryKey)
      if (list === undefined) return
      const merged = withChanges(list, fresh, q !== "")
      if (merged.list !== list) cache.setQueryData(queryKey, merged.list)
      if (merged.isAskedAgain && askTimer === 0) askTimer = window.setTimeout(askAgain, ASK_AGAIN_MS)
    }
    const readAgain = () => void cache.refetchQueries({ queryKey, exact: true })
    const askAgain = () => {
      askTimer = 0
      readAgain()
    }
    const stop = live.listen((event) => {
      if (event.type === "changed") {
        frames.push(event.frame)
        if (mergeTimer === 0) mergeTimer = window.setTimeout(merge, BATCH_MS)
      } else if (event.type === "annotations") {
        readAgain()
      } else if (event.type === "reread") {
        const list = cache.getQueryData<ListState>(queryKey)
        if (list !== undefined && (list.epoch !== event.epoch || list.seq < event.seq)) readAgain()
      }
    })
    return () => {
      stop()
      merge()
      window.clearTimeout(mergeTimer)
      window.clearTimeout(askTimer)
    }
  }, [live, cache, q, sort])
}

function keyOf(q: string, { order, isRising }: Sort): [string, string, string] {
  return ["conversations", q, `${order}${isRising ? " rising" : ""}`]
}

/** Loads at least this number of conversations, in as many pages as needed, and applies what changed in the meantime. */
async function loaded(
  backend: Backend,
  live: Live | null,
  q: string,
  sort: Sort,
  atLeast: number,
  signal: AbortSignal,
): Promise<ListState> {
  for (let tries = 0; ; tries += 1) {
    let list = firstPage(await backend.conversations({ q, ...sort, limit: PAGE }, signal), isByTime(sort))
    while (list.hasMore && list.items.length < atLeast) {
      list = withPage(list, await backend.conversations({ q, ...sort, start: list.items.length, limit: PAGE }, signal))
    }
    const known = live === null ? [] : changesSince(live.feed, list.epoch, list.seq)
    // Too much changed during loading to know all changes: loads once more, then accepts the result.
    if (known !== null || tries > 0) return withChanges(list, known ?? [], q !== "").list
  }
}

function caughtUp(list: ListState, live: Live | null, q: string): ListState {
  if (live === null) return list
  return withChanges(list, changesSince(live.feed, list.epoch, list.seq) ?? [], q !== "").list
}
