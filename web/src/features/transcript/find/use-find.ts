import { useInfiniteQuery } from "@tanstack/react-query"
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from "react"
import { useBackend } from "@/api/follow"
import type { FoundInConversation, Located } from "@/api/schema"
import { firstHit, inOrder } from "./found"
import type { RowKey } from "../list/rows"

const PAUSE_MS = 180

export interface Find {
  hits: readonly Located[]
  /** Which hit the reader is at; -1 for none. */
  index: number
  /** Whether there are more places, or not all of the conversation was looked at. */
  hasMore: boolean
  /** Whether time ran out before all of the conversation was looked at. */
  isCut: boolean
  isAsking: boolean
  error: Error | null
  step(by: 1 | -1): void
  /** Goes on where the last answer ended. */
  goOn(): void
}

/** What was asked for: from which number on, and where an answer for which time ran out is gone on with. */
interface From {
  start: number
  after?: string
}

const START: From = { start: 0 }

/** Where to go on from an answer. */
export function following(last: FoundInConversation, asked: From): From | null {
  if (last.has_more) return { ...asked, start: asked.start + last.hits.length }
  return last.next === null ? null : { start: 0, after: last.next }
}

/** Places in a thread where something is found, and one of them that the reader is at. */
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

  // By its id: more places may come before the one that the reader is at.
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

/** A value once it has not changed for a moment. */
function usePaused(value: string): string {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(value), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [value])
  return paused
}
