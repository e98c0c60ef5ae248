/** A folder that a person types. Pure. */

import type { Place } from "@/api/schema"

/** Returns the command that adds the folder, for a terminal; null if the text is not one absolute path on one line. */
export function addCommand(path: string): string | null {
  const trimmed = path.trim()
  if (!/^(\/|~\/|[A-Za-z]:[\\/])/.test(trimmed) || /\p{Cc}/u.test(trimmed)) return null
  if (/^[\w./~:\\-]+$/.test(trimmed)) return `chorus workspace add ${trimmed}`
  const quoted = trimmed.startsWith("~/") ? `~/${quote(trimmed.slice(2))}` : quote(trimmed)
  return `chorus workspace add ${quoted}`
}

/** Returns the place that was added; for a path in the home folder, the place that ends with it. */
export function placeAt(places: readonly Place[], path: string): Place | null {
  const wanted = path.trim().replace(/[\\/]+$/, "")
  const isIt = wanted.startsWith("~/")
    ? (folder: string) => folder.endsWith(wanted.slice(1))
    : (folder: string) => folder === wanted
  return places.find(({ folder, is_named }) => is_named && isIt(folder)) ?? null
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
