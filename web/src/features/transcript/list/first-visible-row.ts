import { useSyncExternalStore } from "react"
import type { PageRow } from "@/api/schema"

/**
 * The first visible row. It is kept outside of React state because it changes with every scroll and few components need
 * it.
 */
export class FirstVisibleRow {
  #row: PageRow | null = null
  readonly #readers = new Set<() => void>()

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  readonly read = (): PageRow | null => this.#row

  readonly put = (row: PageRow | null): void => {
    if (row === this.#row) return
    this.#row = row
    for (const reader of this.#readers) reader()
  }
}

/** Returns a value derived from the first visible row; the component renders again only if this value changes. */
export function useFirstVisibleRow<T extends string | number | boolean | null>(
  firstVisible: FirstVisibleRow,
  about: (row: PageRow | null) => T,
): T {
  const read = () => about(firstVisible.read())
  return useSyncExternalStore(firstVisible.subscribe, read, read)
}
