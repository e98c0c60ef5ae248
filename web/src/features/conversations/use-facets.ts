import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { useBackend, useLiveEvents } from "@/api/follow"

const AGAIN_MS = 4000

/** The number of conversations that match a query, by field; counted again from time to time while something changes. */
export function useFacets(q: string) {
  const backend = useBackend()
  const cache = useQueryClient()
  const timer = useRef(0)
  useEffect(() => () => window.clearTimeout(timer.current), [])
  useLiveEvents((event) => {
    if (event.type === "annotations" || event.type === "reread") void cache.invalidateQueries({ queryKey: ["facets"] })
    if (event.type !== "changed" || timer.current !== 0) return
    timer.current = window.setTimeout(() => {
      timer.current = 0
      void cache.invalidateQueries({ queryKey: ["facets"] })
    }, AGAIN_MS)
  })
  return useQuery({
    queryKey: ["facets", q],
    queryFn: ({ signal }) => backend.facets(q, signal),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
}
