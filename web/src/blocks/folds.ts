import { createContext, useCallback, useContext, useSyncExternalStore } from "react"

/** What can be opened and closed; `thinking` and `call` also all at once. */
export type FoldKind = "thinking" | "call" | "agent" | "lines" | "json"

/**
 * What the reader opened and closed. It lives outside of the rows: a row that scrolls away is forgotten by the page,
 * and comes back as it was left.
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

  /** What the reader did with this one, else with all of its kind, else `byDefault`. */
  isOpen(kind: FoldKind, key: string, byDefault: boolean): boolean {
    return this.#open.get(`${kind}:${key}`) ?? this.#all.get(kind) ?? byDefault
  }

  put(kind: FoldKind, key: string, isOpen: boolean): void {
    this.#open.set(`${kind}:${key}`, isOpen)
    this.#notify()
  }

  /** Opens a text of many lines so far that this one is shown. */
  reach(key: string, line: number): void {
    this.#lines.set(key, line)
    this.put("lines", key, true)
  }

  /** The line that a text was opened to. */
  reached(key: string): number {
    return this.#lines.get(key) ?? 0
  }

  /** Opens or closes all of a kind, also those that come later; null leaves each to its default again. */
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

/** What was decided for all of a kind. */
export function useFoldAll(kind: FoldKind): [boolean | null, (isOpen: boolean | null) => void] {
  const folds = useContext(FoldsContext)
  const read = () => folds.all(kind)
  const isOpen = useSyncExternalStore(folds.subscribe, read, read)
  return [isOpen, (open) => folds.putAll(kind, open)]
}
