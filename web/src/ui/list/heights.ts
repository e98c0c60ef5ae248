/** Smaller differences are rounding of the browser. */
export const EXACT_PX = 0.5

/** The heights of the rows of a list: as last measured, else estimated. */
export class Heights {
  readonly #known = new Map<string, number>()
  estimate: number

  constructor(estimate: number) {
    this.estimate = estimate
  }

  readonly of = (key: string): number => this.#known.get(key) ?? this.estimate

  /** Measures the rendered rows; returns the keys of those whose height changed. */
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
