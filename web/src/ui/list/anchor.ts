import { heightBetween } from "./reach"

/**
 * What of a list stays where it is, whatever is added, taken away or measured around it: one of its ends, or a row
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

  /** -1 for a key that is not here. */
  indexOf(key: string): number {
    return this.#indexes.get(key) ?? -1
  }
}

/**
 * The anchor once `before` has become `after`. A row that is gone hands over to the nearest one that is left, first
 * below it, at the place where that one stands.
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
