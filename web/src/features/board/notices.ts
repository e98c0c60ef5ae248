/** What the reader is notified of when the board changes. Pure. */

import type { Tile } from "@/api/schema"

export interface Notice {
  name: string
  workspace: string
  text: string
}

/** Returns each reason for which a tile needs the reader, by a key that stays the same while it does. */
export function reasonsByKey(tiles: readonly Tile[]): Map<string, Notice> {
  const found = new Map<string, Notice>()
  for (const { name, workspace_name, reasons } of tiles) {
    for (const { kind, request, call, text } of reasons) {
      found.set(JSON.stringify([name, kind, request, call]), { name, workspace: workspace_name, text })
    }
  }
  return found
}

/** Returns what is new: reasons that were not there before. */
export function newNotices(before: ReadonlyMap<string, Notice>, after: ReadonlyMap<string, Notice>): Notice[] {
  return [...after].filter(([key]) => !before.has(key)).map(([, notice]) => notice)
}
