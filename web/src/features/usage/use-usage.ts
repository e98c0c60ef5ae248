import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { isProblem, type UsageAsked } from "@/api/backend"
import { useBackend } from "@/api/follow"

/** The figures do not change while they are read; they are loaded again if the reader comes back after this time. */
const FRESH_MS = 20_000
const BUILDING_MS = 2000

export function useUsage(asked: UsageAsked) {
  const backend = useBackend()
  return useQuery({
    queryKey: ["usage", asked.q, asked.by, asked.since],
    queryFn: ({ signal }) => backend.usage(asked, signal),
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isProblem(state.error, "index_building") ? BUILDING_MS : false),
  })
}
