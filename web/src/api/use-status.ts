import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useBackend, useConnection, useTold } from "./follow"

const KEY = ["status"]
/** While the socket is open it tells; this is for when it is not. */
const ASK_MS = 5000

/** The state of the server, as it last told it. */
export function useStatus() {
  const backend = useBackend()
  const isLive = useConnection().phase === "live"
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => backend.status(signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: isLive ? false : ASK_MS,
  })
}

/** Keeps what `useStatus` gives up to date. Mounted once. */
export function useToldStatus(): void {
  const cache = useQueryClient()
  useTold((tell) => {
    if (tell.type === "status") cache.setQueryData(KEY, tell.status)
    else if (tell.type === "reread") void cache.invalidateQueries({ queryKey: KEY })
  })
}
