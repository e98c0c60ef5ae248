/** Detects Markdown that would take too much time or stack to render. Pure, and linear in the text. */

/** Real quotes are not nested this deep; rendering them would need a stack of the same depth. */
const DEEPEST = 40
/** The maximum number of characters that may begin or end a construct: each may be compared with all before it. */
const MAX_SIGNS = 10_000

const MARKERS = /^[ \t>*+\-\d.)]*/
const MARKER = />|[-*+][ \t]|\d[.)][ \t]/g
const SIGN = /[*_~[\]]/g

export function isKnotty(text: string): boolean {
  return count(text, SIGN, MAX_SIGNS) > MAX_SIGNS || text.split("\n").some(isDeep)
}

function isDeep(line: string): boolean {
  return count(MARKERS.exec(line)?.[0] ?? "", MARKER, DEEPEST) > DEEPEST
}

function count(text: string, sign: RegExp, most: number): number {
  let found = 0
  for (const _ of text.matchAll(sign)) if (++found > most) break
  return found
}
