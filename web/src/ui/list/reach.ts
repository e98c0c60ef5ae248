/** Which rows of a long list have to be drawn. Pure: heights come from whoever measured or guessed them. */

export type HeightOf = (index: number) => number

/** Rows from `start` up to, not including, `end`. */
export interface Range {
  start: number
  end: number
}

/** What is seen, and how far beyond it rows are wanted, in pixels. */
export interface View {
  height: number
  beyond: number
}

/**
 * The rows in and around a view in which the upper edge of row `index` stands `y` below the top. `index` may be the
 * number of rows: the end of the list.
 */
export function rangeAround(count: number, heightOf: HeightOf, index: number, y: number, view: View): Range {
  let [start, top] = [index, y]
  let [end, bottom] = [index, y]
  while (end < count && bottom < view.height + view.beyond) bottom += heightOf(end++)
  // No list ends above the lower edge of its view: then all stands lower, and more is seen above.
  const lower = Math.max(0, view.height - bottom)
  while (start > 0 && top + lower > -view.beyond) top -= heightOf(--start)
  // Nor does one begin below the upper edge.
  const higher = Math.max(0, top + lower)
  while (end < count && bottom - higher < view.height + view.beyond) bottom += heightOf(end++)
  return { start, end }
}

export function covers(drawn: Range, wanted: Range): boolean {
  return drawn.start <= wanted.start && drawn.end >= wanted.end
}

/** How high the rows from `start` up to `end` are together. */
export function heightBetween(heightOf: HeightOf, start: number, end: number): number {
  let sum = 0
  for (let index = start; index < end; index += 1) sum += heightOf(index)
  return sum
}

/** The row that is so many pixels below the beginning of the list, and where that row begins. */
export function rowAt(count: number, heightOf: HeightOf, px: number): { index: number; top: number } {
  let [index, top] = [0, 0]
  while (index < count - 1 && top + heightOf(index) <= px) top += heightOf(index++)
  return { index, top }
}
