import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import { isProblem } from "@/api/backend"
import { useBackend } from "@/api/follow"

const PAGE = 50
/** Results do not change while they are read; they are loaded again if the reader comes back after this time. */
const FRESH_MS = 20_000
const BUILDING_MS = 2000

/** The hits of a query, page by page. An empty query is not sent: the page shows examples instead. */
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
