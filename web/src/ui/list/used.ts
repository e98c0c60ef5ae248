import type { Parts } from "./parts"

/** A row that grows within this time after something in it was used, grew because of that. */
const USED_MS = 500

/** The control of a row that was used last, to open or to close something: it has to stay under the pointer. */
export class Used {
  #last: { element: Element; y: number; at: number } | null = null

  take(event: Event, parts: Parts): void {
    const element = event.target instanceof Element ? event.target.closest("button, summary, a") : null
    this.#last = element && { element, y: parts.topOf(element), at: performance.now() }
  }

  forget(): void {
    this.#last = null
  }

  /** Returns by how many pixels a new height of its row moved it; null if its use changed no height. */
  movedBy(changed: ReadonlySet<string>, parts: Parts): number | null {
    const used = this.#last
    if (used === null || performance.now() - used.at > USED_MS || !parts.rows.contains(used.element)) return null
    const row = used.element.closest<HTMLElement>("[data-key]")
    return changed.has(row?.dataset["key"] ?? "") ? parts.topOf(used.element) - used.y : null
  }
}
