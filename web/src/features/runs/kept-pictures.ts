/**
 * Stores pictures that were chosen and not sent, so that they survive a reload. Like drafts they belong to one tab. A
 * database does not end with its tab, so what other tabs left is deleted after a day, or if there is too much of it.
 */

import { inStore } from "@/ui/browser-store"

const PLACE = { database: "chorus-pictures", store: "messages" }
const TAB = "chorus.tab"
const LONGEST_MS = 24 * 60 * 60 * 1000
/** The maximum number of messages with pictures, of all tabs; each has at most as many as one message may have. */
const MAX_KEPT = 8

interface Kept {
  key: string
  at: number
  files: File[]
}

/** Stores these pictures for `of`, replacing the former ones. If the browser refuses, they end with the page. */
export async function keepPictures(of: string, files: readonly File[]): Promise<void> {
  try {
    const key = keyOf(of)
    const kept: Kept = { key, at: Date.now(), files: [...files] }
    if (files.length === 0) await inStore(PLACE, "readwrite", (store) => store.delete(key))
    else await inStore(PLACE, "readwrite", (store) => store.put(kept, key))
  } catch {
    // No room, or not allowed.
  }
}

/** Returns what was stored before the page was loaded. */
export async function keptPictures(of: string): Promise<readonly File[]> {
  try {
    const all = await inStore<Kept[]>(PLACE, "readonly", (store) => store.getAll())
    const fresh = all.filter(({ at }) => Date.now() - at < LONGEST_MS).toSorted((a, b) => b.at - a.at).slice(0, MAX_KEPT)
    for (const { key } of all.filter((each) => !fresh.includes(each))) {
      await inStore(PLACE, "readwrite", (store) => store.delete(key))
    }
    return fresh.find(({ key }) => key === keyOf(of))?.files ?? []
  } catch {
    return []
  }
}

/** Identifies this tab: a copy of the tab begins with the same drafts, and so with the same pictures. */
function keyOf(of: string): string {
  const tab = sessionStorage.getItem(TAB) ?? crypto.randomUUID()
  sessionStorage.setItem(TAB, tab)
  return `${tab} ${of}`
}
