import type { Parts } from "./parts"

/** What grows so soon after something in it was used, grew by that. */
const USED_MS = 500

/** What was last used in a row, to open it or to close it: that is to stay under the pointer. */
export class Used {
  #last: { element: Element; y: number; at: number } | null = null

  take(event: Event, parts: Parts): void {
    const element = event.target instanceof Element ? event.target.closest("button, summary, a") : null
    this.#last = element && { element, y: parts.topOf(element), at: performance.now() }
  }

  forget(): void {
    this.#last = null
  }

  /** How many pixels it was moved by a new height of its row; null where no row is higher or lower by its use. */
  movedBy(changed: ReadonlySet<string>, parts: Parts): number | null {
    const used = this.#last
    if (used === null || performance.now() - used.at > USED_MS || !parts.rows.contains(used.element)) return null
    const row = used.element.closest<HTMLElement>("[data-key]")
    return changed.has(row?.dataset["key"] ?? "") ? parts.topOf(used.element) - used.y : null
  }
}
