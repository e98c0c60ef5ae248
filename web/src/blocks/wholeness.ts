import { createContext, useContext, useEffect, useSyncExternalStore } from "react"

/**
 * Whether all of some blocks is shown, or a part of them is folded or cut. Who decides about what they say has to know:
 * it puts one into `WholenessContext` around them.
 */
export class Wholeness {
  readonly #hidden = new Map<string, number>()
  readonly #readers = new Set<() => void>()

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  readonly isWhole = (): boolean => this.#hidden.size === 0

  /** So many lines or characters of this part are not shown. */
  put(part: string, hidden: number): void {
    if ((this.#hidden.get(part) ?? 0) === hidden) return
    if (hidden > 0) this.#hidden.set(part, hidden)
    else this.#hidden.delete(part)
    for (const reader of this.#readers) reader()
  }
}

export const WholenessContext = createContext<Wholeness | null>(null)

/** Says that so much of a part is not shown, for as long as the component is on display. */
export function useHidden(part: string, hidden: number): void {
  const wholeness = useContext(WholenessContext)
  useEffect(() => {
    wholeness?.put(part, hidden)
    return () => wholeness?.put(part, 0)
  }, [wholeness, part, hidden])
}

/** Whether somebody has to see all of it, so that nothing is to be folded by itself. */
export function useIsWholeWanted(): boolean {
  return useContext(WholenessContext) !== null
}

export function useIsWhole(wholeness: Wholeness): boolean {
  return useSyncExternalStore(wholeness.subscribe, wholeness.isWhole, wholeness.isWhole)
}
