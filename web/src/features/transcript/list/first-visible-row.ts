import { useSyncExternalStore } from "react"
import type { PageRow } from "@/api/schema"

/** The first row on display. Apart from the page's state: it changes with every scroll, and few parts care. */
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

/** Something about the first row on display; the component is drawn again only when that changes. */
export function useFirstVisibleRow<T extends string | number | boolean | null>(
  firstVisible: FirstVisibleRow,
  about: (row: PageRow | null) => T,
): T {
  const read = () => about(firstVisible.read())
  return useSyncExternalStore(firstVisible.subscribe, read, read)
}
