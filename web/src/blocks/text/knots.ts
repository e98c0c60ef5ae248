/** Markdown that would take more time or stack than any reader has. Pure, and linear in the text. */

/** Nobody quotes a quote so often; drawing it would take a stack as deep. */
const DEEPEST = 40
/** So many signs that may begin or end something: each may be compared with all before it. */
const MOST_SIGNS = 10_000

const MARKERS = /^[ \t>*+\-\d.)]*/
const MARKER = />|[-*+][ \t]|\d[.)][ \t]/g
const SIGN = /[*_~[\]]/g

export function isKnotty(text: string): boolean {
  return count(text, SIGN, MOST_SIGNS) > MOST_SIGNS || text.split("\n").some(isDeep)
}

function isDeep(line: string): boolean {
  return count(MARKERS.exec(line)?.[0] ?? "", MARKER, DEEPEST) > DEEPEST
}

function count(text: string, sign: RegExp, most: number): number {
  let found = 0
  for (const _ of text.matchAll(sign)) if (++found > most) break
  return found
}
