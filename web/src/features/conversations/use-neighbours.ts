import { useEffect } from "react"
import { useNow } from "@/ui/now"
import { useSections } from "./conversation-list"
import type { Listing } from "./listing"
import { isByTime } from "./sort"
import { useConversations, useLiveConversations } from "./use-conversations"

const NONE: readonly never[] = []

export interface Neighbours {
  previous: string | null
  next: string | null
}

/** Returns a function that finds the conversations before and after one in the order of a list; null at its ends. */
export function useNeighbours({ q, sort }: Listing, current: string): (name: string) => Neighbours {
  const { data, loadMore } = useConversations(q, sort)
  // The shell keeps the unfiltered list up to date.
  useLiveConversations(q === "" && isByTime(sort) ? null : q, sort)
  const now = useNow()
  const names = useSections(data?.items ?? NONE, now, isByTime(sort)).flatMap(({ entries }) =>
    entries.map(({ conversation }) => conversation.name),
  )
  const at = names.indexOf(current)
  const isNearEnd = at >= names.length - 2
  useEffect(() => {
    if (at >= 0 && isNearEnd) void loadMore()
  }, [at, isNearEnd, loadMore])
  return (name) => {
    const here = names.indexOf(name)
    return here < 0 ? { previous: null, next: names[0] ?? null } : { previous: names[here - 1] ?? null, next: names[here + 1] ?? null }
  }
}
