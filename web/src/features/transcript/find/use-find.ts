import { useInfiniteQuery } from "@tanstack/react-query"
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from "react"
import { useBackend } from "@/api/follow"
import type { FoundInConversation, Located } from "@/api/schema"
import { firstHit, inOrder } from "./found"
import type { RowKey } from "../list/rows"

const PAUSE_MS = 180

export interface Find {
  hits: readonly Located[]
  /** The number of the current hit; -1 for none. */
  index: number
  /** Whether there are more hits, or a part of the conversation was not searched. */
  hasMore: boolean
  /** Whether the time limit ended the search before the end of the conversation. */
  isCut: boolean
  isAsking: boolean
  error: Error | null
  step(by: 1 | -1): void
  /** Continues where the last response ended. */
  goOn(): void
}

/** The start of a request: the number of the first hit, and the position where a search that ran out of time continues. */
interface From {
  start: number
  after?: string
}

const START: From = { start: 0 }

/** Returns where to continue after a response, or null at the end. */
export function following(last: FoundInConversation, asked: From): From | null {
  if (last.has_more) return { ...asked, start: asked.start + last.hits.length }
  return last.next === null ? null : { start: 0, after: last.next }
}

/** The hits of a query in a thread, and the current one. */
export function useFind(
  name: string,
  thread: string,
  query: string,
  { where, onHit }: { where: () => RowKey | null; onHit: (hit: Located) => void },
): Find {
  const backend = useBackend()
  const asked = useDeferredValue(usePaused(query.trim()))
  const [current, setCurrent] = useState<string | null>(null)
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["find", name, thread, asked],
    queryFn: ({ signal, pageParam }) => backend.find(name, { q: asked, thread, ...pageParam }, signal),
    initialPageParam: START,
    getNextPageParam: (last, _all, from) => following(last, from),
    enabled: asked !== "",
    retry: false,
  })
  const hits = useMemo(() => (asked === "" ? [] : inOrder(data?.pages.flatMap((page) => page.hits) ?? [])), [asked, data])

  // Identified by its id, because more hits may be added before the current one.
  const index = hits.findIndex((hit) => hit.id === current)

  const show = (next: number): void => {
    const hit = hits[next]
    setCurrent(hit?.id ?? null)
    if (hit) onHit(hit)
  }
  const begin = useEffectEvent(() => show(hits.length === 0 ? -1 : firstHit(hits, where())))
  const first = data?.pages[0]
  const hasAny = hits.length > 0
  useEffect(() => begin(), [first, asked, hasAny])

  return {
    hits,
    index,
    hasMore: asked !== "" && hasNextPage,
    isCut: data?.pages.at(-1)?.next != null,
    isAsking: isFetching,
    error: asked === "" ? null : error,
    step: (by) => {
      if (hits.length > 0) show((index + by + hits.length) % hits.length)
    },
    goOn: () => void fetchNextPage(),
  }
}

/** Returns a value once it has not changed for a moment. */
function usePaused(value: string): string {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(value), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [value])
  return paused
}
