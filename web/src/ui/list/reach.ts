/** Which rows of a long list have to be rendered. Pure: the caller provides the heights. */

export type HeightOf = (index: number) => number

/** Rows from `start` up to, not including, `end`. */
export interface Range {
  start: number
  end: number
}

/** The size of the view, and how far beyond it rows are rendered, in pixels. */
export interface View {
  height: number
  beyond: number
}

/**
 * Returns the rows in and around a view in which the upper edge of row `index` is `y` below the top. `index` may be the
 * number of rows, which means the end of the list.
 */
export function rangeAround(count: number, heightOf: HeightOf, index: number, y: number, view: View): Range {
  let [start, top] = [index, y]
  let [end, bottom] = [index, y]
  while (end < count && bottom < view.height + view.beyond) bottom += heightOf(end++)
  // A list cannot end above the lower edge of its view: then everything moves down, and more is visible above.
  const lower = Math.max(0, view.height - bottom)
  while (start > 0 && top + lower > -view.beyond) top -= heightOf(--start)
  // Nor can it begin below the upper edge.
  const higher = Math.max(0, top + lower)
  while (end < count && bottom - higher < view.height + view.beyond) bottom += heightOf(end++)
  return { start, end }
}

export function covers(drawn: Range, wanted: Range): boolean {
  return drawn.start <= wanted.start && drawn.end >= wanted.end
}

/** Returns the sum of the heights of the rows from `start` up to `end`. */
export function heightBetween(heightOf: HeightOf, start: number, end: number): number {
  let sum = 0
  for (let index = start; index < end; index += 1) sum += heightOf(index)
  return sum
}

/** Returns the row at this distance from the beginning of the list, and where that row begins. */
export function rowAt(count: number, heightOf: HeightOf, px: number): { index: number; top: number } {
  let [index, top] = [0, 0]
  while (index < count - 1 && top + heightOf(index) <= px) top += heightOf(index++)
  return { index, top }
}
