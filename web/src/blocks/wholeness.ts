import { createContext, useContext, useEffect, useSyncExternalStore } from "react"

/**
 * Whether some blocks are shown completely, or a part of them is folded or cut. A component that asks for a decision
 * about them needs to know this: it puts one into `WholenessContext` around them.
 */
export class Wholeness {
  readonly #hidden = new Map<string, number>()
  readonly #readers = new Set<() => void>()

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  readonly isWhole = (): boolean => this.#hidden.size === 0

  /** Records how many lines or characters of this part are not shown. */
  put(part: string, hidden: number): void {
    if ((this.#hidden.get(part) ?? 0) === hidden) return
    if (hidden > 0) this.#hidden.set(part, hidden)
    else this.#hidden.delete(part)
    for (const reader of this.#readers) reader()
  }
}

export const WholenessContext = createContext<Wholeness | null>(null)

/** Reports how much of a part is not shown, while the component is mounted. */
export function useHidden(part: string, hidden: number): void {
  const wholeness = useContext(WholenessContext)
  useEffect(() => {
    wholeness?.put(part, hidden)
    return () => wholeness?.put(part, 0)
  }, [wholeness, part, hidden])
}

/** Whether a reader has to see everything, so that nothing may be folded by default. */
export function useIsWholeWanted(): boolean {
  return useContext(WholenessContext) !== null
}

export function useIsWhole(wholeness: Wholeness): boolean {
  return useSyncExternalStore(wholeness.subscribe, wholeness.isWhole, wholeness.isWhole)
}
