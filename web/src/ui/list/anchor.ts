import { heightBetween } from "./reach"

/**
 * The part of a list that keeps its place when rows are added, removed or measured around it: one of its ends, or a row
 * whose edge is `y` pixels from the same edge of the view.
 */
export type Anchor = "start" | "end" | RowAnchor

export interface RowAnchor {
  key: string
  y: number
  edge?: "top" | "bottom"
}

/** The rows of a list by number and by key. */
export class Keys {
  readonly list: readonly string[]
  readonly #indexes: ReadonlyMap<string, number>

  constructor(list: readonly string[]) {
    this.list = list
    this.#indexes = new Map(list.map((key, index) => [key, index]))
  }

  /** Returns -1 for an unknown key. */
  indexOf(key: string): number {
    return this.#indexes.get(key) ?? -1
  }
}

/**
 * Returns the anchor after the rows changed from `before` to `after`. If its row was removed, the nearest remaining row
 * replaces it, preferably one below, at its current place.
 */
export function carriedOver(anchor: Anchor, before: Keys, after: Keys, heightOf: (key: string) => number): Anchor {
  if (typeof anchor === "string" || after.indexOf(anchor.key) >= 0) return anchor
  const at = before.indexOf(anchor.key)
  if (at < 0) return "start"
  const y = anchor.edge === "bottom" ? 0 : anchor.y
  const height = (index: number) => heightOf(before.list[index] ?? "")
  const isLeft = (key: string) => after.indexOf(key) >= 0
  const below = before.list.findIndex((key, index) => index > at && isLeft(key))
  if (below >= 0) return { key: before.list[below] ?? "", y: y + heightBetween(height, at, below) }
  const above = before.list.findLastIndex((key, index) => index < at && isLeft(key))
  if (above < 0) return "start"
  return { key: before.list[above] ?? "", y: y - heightBetween(height, above, at) }
}
