import { useSyncExternalStore } from "react"

let isThere = false
const watchers = new Set<() => void>()

/** Notes that a newer version of this page was installed; the page shows the old one until it is loaded again. */
export function noteNewerVersion(): void {
  isThere = true
  for (const watcher of watchers) watcher()
}

export function useNewerVersion(): boolean {
  return useSyncExternalStore(watch, () => isThere)
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
