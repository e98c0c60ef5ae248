/** The list that the reader came from: shown next to a conversation, and used to find the next one. */

import { useSyncExternalStore } from "react"
import { BY_TIME, type Sort } from "./sort"

export interface Listing {
  q: string
  sort: Sort
}

let listing: Listing = { q: "", sort: BY_TIME }
const watchers = new Set<() => void>()

export function rememberListing(next: Listing): void {
  if (next.q === listing.q && next.sort === listing.sort) return
  listing = next
  for (const watcher of watchers) watcher()
}

export function useListing(): Listing {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => listing,
  )
}
