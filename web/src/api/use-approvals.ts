import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { useBackend, useConnection, useTold } from "./follow"
import type { ApprovalCard } from "./schema"

export const PENDING_KEY = ["approvals", "pending"]
export const SETTLED_KEY = ["approvals", "settled"]
export const APPROVERS_KEY = ["approvers"]

const SETTLED = 50
/** While the socket is open it tells; this is for when it is not. */
const ASK_MS = 5000
const NONE: readonly ApprovalCard[] = []

/** The permission requests that wait, the oldest first. */
export function usePending() {
  const backend = useBackend()
  const isLive = useConnection().phase === "live"
  return useQuery({
    queryKey: PENDING_KEY,
    queryFn: ({ signal }) => backend.approvals(0, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: isLive ? false : ASK_MS,
  })
}

/** The last ones that are settled, the newest first. */
export function useSettled(isEnabled = true) {
  const backend = useBackend()
  return useQuery({
    queryKey: SETTLED_KEY,
    queryFn: async ({ signal }) => {
      const { cards } = await backend.approvals(SETTLED, signal)
      return cards.filter((card) => card.state !== "pending")
    },
    enabled: isEnabled,
  })
}

/** The names of the conversations in which a request waits. */
export function useAskingConversations(): ReadonlySet<string> {
  const cards = usePending().data?.cards ?? NONE
  return useMemo(() => new Set(cards.flatMap(({ conversation }) => conversation ?? [])), [cards])
}

/** Keeps what the hooks above give up to date. Mounted once. */
export function useToldApprovals(): void {
  const cache = useQueryClient()
  useTold((tell) => {
    if (tell.type !== "approvals" && tell.type !== "reread") return
    void cache.invalidateQueries({ queryKey: ["approvals"] })
    void cache.invalidateQueries({ queryKey: APPROVERS_KEY })
  })
}
