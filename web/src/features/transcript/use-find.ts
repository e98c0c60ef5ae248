import { useQuery } from "@tanstack/react-query"
import { useDeferredValue, useEffect, useEffectEvent, useState } from "react"
import { useBackend } from "@/api/follow"
import type { Located } from "@/api/schema"
import { firstHit } from "./found"
import type { RowKey } from "./rows"

const PAUSE_MS = 180

export interface Find {
  hits: readonly Located[]
  /** Which hit the reader is at; -1 for none. */
  index: number
  hasMore: boolean
  isAsking: boolean
  error: Error | null
  step(by: 1 | -1): void
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
  const [index, setIndex] = useState(-1)
  const { data, error, isFetching } = useQuery({
    queryKey: ["find", name, thread, asked],
    queryFn: ({ signal }) => backend.find(name, { q: asked, thread }, signal),
    enabled: asked !== "",
    retry: false,
  })
  const hits = asked === "" ? [] : (data?.hits ?? [])

  const show = (next: number): void => {
    setIndex(next)
    const hit = hits[next]
    if (hit) onHit(hit)
  }
  const begin = useEffectEvent(() => show(hits.length === 0 ? -1 : firstHit(hits, where())))
  useEffect(() => begin(), [data, asked])

  return {
    hits,
    index,
    hasMore: data?.has_more ?? false,
    isAsking: isFetching,
    error: asked === "" ? null : error,
    step: (by) => {
      if (hits.length > 0) show((index + by + hits.length) % hits.length)
    },
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
