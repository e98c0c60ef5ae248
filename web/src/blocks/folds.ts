import { createContext, useCallback, useContext, useSyncExternalStore } from "react"

/** The kinds of parts that can be opened and closed; `thinking` and `call` also all at once. */
export type FoldKind = "thinking" | "call" | "agent" | "lines" | "json"

/**
 * What the reader opened and closed. It is stored outside of the rows: a row that scrolls out of view is removed from
 * the page, and comes back as it was.
 */
export class Folds {
  readonly #open = new Map<string, boolean>()
  readonly #all = new Map<FoldKind, boolean>()
  readonly #lines = new Map<string, number>()
  readonly #readers = new Set<() => void>()

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  /** Returns the choice of the reader for this part, else for all of its kind, else `byDefault`. */
  isOpen(kind: FoldKind, key: string, byDefault: boolean): boolean {
    return this.#open.get(`${kind}:${key}`) ?? this.#all.get(kind) ?? byDefault
  }

  put(kind: FoldKind, key: string, isOpen: boolean): void {
    this.#open.set(`${kind}:${key}`, isOpen)
    this.#notify()
  }

  /** Opens a long text far enough to show this line. */
  reach(key: string, line: number): void {
    this.#lines.set(key, line)
    this.put("lines", key, true)
  }

  /** Returns the line up to which a text was opened. */
  reached(key: string): number {
    return this.#lines.get(key) ?? 0
  }

  /** Opens or closes all parts of a kind, including later ones; null restores the default of each. */
  putAll(kind: FoldKind, isOpen: boolean | null): void {
    for (const key of this.#open.keys()) if (key.startsWith(`${kind}:`)) this.#open.delete(key)
    if (isOpen === null) this.#all.delete(kind)
    else this.#all.set(kind, isOpen)
    this.#notify()
  }

  all(kind: FoldKind): boolean | null {
    return this.#all.get(kind) ?? null
  }

  #notify(): void {
    for (const reader of this.#readers) reader()
  }
}

export const FoldsContext = createContext(new Folds())

/** Whether something is open, and how to change that. */
export function useFold(kind: FoldKind, key: string, byDefault: boolean): [boolean, (isOpen: boolean) => void] {
  const folds = useContext(FoldsContext)
  const read = () => folds.isOpen(kind, key, byDefault)
  const isOpen = useSyncExternalStore(folds.subscribe, read, read)
  const put = useCallback((open: boolean) => folds.put(kind, key, open), [folds, kind, key])
  return [isOpen, put]
}

/** Returns the choice for all parts of a kind, and a function to change it. */
export function useFoldAll(kind: FoldKind): [boolean | null, (isOpen: boolean | null) => void] {
  const folds = useContext(FoldsContext)
  const read = () => folds.all(kind)
  const isOpen = useSyncExternalStore(folds.subscribe, read, read)
  return [isOpen, (open) => folds.putAll(kind, open)]
}
