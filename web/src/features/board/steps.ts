/** Where a key leads on the board. Pure. */

export type Step = "next" | "previous" | "left" | "right"

/**
 * Returns the name of the tile to go to, or null if there is none. `columns` has the names of the tiles of each column.
 * Up and down go through all columns one after the other; left and right keep the height and skip empty columns.
 */
export function stepFrom(columns: readonly (readonly string[])[], here: string | null, step: Step): string | null {
  const all = columns.flat()
  const column = columns.findIndex((names) => here !== null && names.includes(here))
  if (here === null || column < 0) return all[0] ?? null
  if (step === "next" || step === "previous") {
    return all[all.indexOf(here) + (step === "next" ? 1 : -1)] ?? null
  }
  const height = columns[column]?.indexOf(here) ?? 0
  const others = step === "right" ? columns.slice(column + 1) : columns.slice(0, column).toReversed()
  const target = others.find((names) => names.length > 0)
  return target?.[Math.min(height, target.length - 1)] ?? null
}
