import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useAskMs, useBackend, useLiveEvents } from "./follow"

export const STATUS_KEY = ["status"]

/** The state of the server as last reported. */
export function useStatus() {
  const backend = useBackend()
  return useQuery({
    queryKey: STATUS_KEY,
    queryFn: ({ signal }) => backend.status(signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: useAskMs(),
  })
}

/** Keeps the data of `useStatus` up to date. Mounted once. */
export function useLiveStatus(): void {
  const cache = useQueryClient()
  useLiveEvents((event) => {
    if (event.type === "status") cache.setQueryData(STATUS_KEY, event.status)
    else if (event.type === "reread") void cache.invalidateQueries({ queryKey: STATUS_KEY })
  })
}
