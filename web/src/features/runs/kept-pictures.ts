/**
 * Pictures that were chosen and not sent, over a reload. As what was typed they are this tab's own; a database does not
 * end with its tab, so what is left by others goes after a day, and when there is too much of it.
 */

import { inStore } from "@/ui/browser-store"

const PLACE = { database: "chorus-pictures", store: "messages" }
const TAB = "chorus.tab"
const LONGEST_MS = 24 * 60 * 60 * 1000
/** Messages with pictures, of all tabs; each holds no more than one message takes. */
const MOST_KEPT = 8

interface Kept {
  key: string
  at: number
  files: File[]
}

/** Keeps these for what they are of, in the place of those before. Where the browser refuses, they end with the page. */
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

/** What was kept before the page was loaded. */
export async function keptPictures(of: string): Promise<readonly File[]> {
  try {
    const all = await inStore<Kept[]>(PLACE, "readonly", (store) => store.getAll())
    const fresh = all.filter(({ at }) => Date.now() - at < LONGEST_MS).toSorted((a, b) => b.at - a.at).slice(0, MOST_KEPT)
    for (const { key } of all.filter((each) => !fresh.includes(each))) {
      await inStore(PLACE, "readwrite", (store) => store.delete(key))
    }
    return fresh.find(({ key }) => key === keyOf(of))?.files ?? []
  } catch {
    return []
  }
}

/** Of this tab: a copy of it begins with the same drafts, and so with the same pictures. */
function keyOf(of: string): string {
  const tab = sessionStorage.getItem(TAB) ?? crypto.randomUUID()
  sessionStorage.setItem(TAB, tab)
  return `${tab} ${of}`
}
