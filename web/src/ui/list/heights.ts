/** Smaller differences are the browser's rounding. */
export const EXACT_PX = 0.5

/** How high the rows of a list are: as measured when they were last drawn, else as guessed. */
export class Heights {
  readonly #known = new Map<string, number>()
  estimate: number

  constructor(estimate: number) {
    this.estimate = estimate
  }

  readonly of = (key: string): number => this.#known.get(key) ?? this.estimate

  /** Takes note of the rows that are drawn; gives the keys of those whose height is another than it was. */
  measure(rows: Iterable<HTMLElement>): ReadonlySet<string> {
    const changed = new Set<string>()
    for (const row of rows) {
      const { key } = row.dataset
      const { height } = row.getBoundingClientRect()
      if (key === undefined || Math.abs((this.#known.get(key) ?? -1) - height) < EXACT_PX) continue
      this.#known.set(key, height)
      changed.add(key)
    }
    return changed
  }
}
