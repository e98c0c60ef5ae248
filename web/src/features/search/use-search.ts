import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import { isProblem } from "@/api/backend"
import { useBackend } from "@/api/follow"

const PAGE = 50
/** Results stand still while they are read; they are asked anew when one comes back after this. */
const FRESH_MS = 20_000
const BUILDING_MS = 2000

/** Hits of a query, page by page. An empty query is not asked: the page shows how to ask instead. */
export function useSearch(q: string, isRanked: boolean) {
  const backend = useBackend()
  return useInfiniteQuery({
    queryKey: ["search", q, isRanked],
    queryFn: ({ pageParam, signal }) =>
      backend.search({ q, isRanked, limit: PAGE, ...(pageParam === null ? {} : { below: pageParam }) }, signal),
    initialPageParam: noPlace(),
    getNextPageParam: (page) => page.next,
    enabled: q.trim() !== "",
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isProblem(state.error, "index_building") ? BUILDING_MS : false),
  })
}

function noPlace(): number | null {
  return null
}
