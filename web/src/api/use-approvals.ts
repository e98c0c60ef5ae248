import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { type Asking, askingOf } from "./asking"
import { useAskMs, useBackend, useLiveEvents } from "./follow"
import type { ApprovalCard } from "./schema"

/** All requests, open and settled. */
export const APPROVALS_KEY = ["approvals"]
export const APPROVERS_KEY = ["approvers"]

const SETTLED = 50
const NONE: readonly ApprovalCard[] = []

/** The open permission requests, oldest first. */
export function usePending() {
  const backend = useBackend()
  return useQuery({
    queryKey: [...APPROVALS_KEY, "pending"],
    queryFn: ({ signal }) => backend.approvals(0, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: useAskMs(),
  })
}

/** The last settled requests, newest first. */
export function useSettled(isEnabled = true) {
  const backend = useBackend()
  return useQuery({
    queryKey: [...APPROVALS_KEY, "settled"],
    queryFn: async ({ signal }) => {
      const { cards } = await backend.approvals(SETTLED, signal)
      return cards.filter((card) => card.state !== "pending")
    },
    enabled: isEnabled,
  })
}

/** The conversations that have an open request. */
export function useAskingConversations(): Asking {
  const cards = usePending().data?.cards ?? NONE
  return useMemo(() => askingOf(cards), [cards])
}

/** Keeps the data of the hooks above up to date. Mounted once. */
export function useLiveApprovals(): void {
  const cache = useQueryClient()
  useLiveEvents((event) => {
    if (event.type !== "approvals" && event.type !== "reread") return
    void cache.invalidateQueries({ queryKey: APPROVALS_KEY })
    void cache.invalidateQueries({ queryKey: APPROVERS_KEY })
  })
}
