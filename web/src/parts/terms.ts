/** The terms of a query that stand side by side, so that one can be added or taken away by a click. Pure. */

/**
 * The text split at blanks outside quotes, slashes of a pattern and parentheses. Null when the terms are not simply side
 * by side (`OR`, `->`, a parenthesis that is not closed): then nothing can be taken out without changing what is meant.
 */
export function termsOf(query: string): string[] | null {
  const terms: string[] = []
  let term = ""
  let depth = 0
  let inside: '"' | "/" | null = null
  for (let index = 0; index < query.length; index += 1) {
    const character = query.charAt(index)
    if (inside !== null) {
      term += character
      if (character === "\\") {
        index += 1
        term += query.charAt(index)
      } else if (character === inside) inside = null
    } else if (/\s/.test(character) && depth === 0) {
      if (term !== "") terms.push(term)
      term = ""
    } else {
      if (character === '"') inside = '"'
      else if (character === "/" && /(^|[-(])regex:$/i.test(term)) inside = "/"
      else if (character === "(") depth += 1
      else if (character === ")") depth -= 1
      if (depth < 0) return null
      term += character
    }
  }
  if (inside !== null || depth !== 0) return null
  if (term !== "") terms.push(term)
  return terms.some((each) => each === "OR" || /^->\d*$/.test(each)) ? null : terms.filter((each) => each !== "AND")
}

export function hasTerm(query: string, term: string): boolean {
  return termsOf(query)?.includes(term) ?? false
}

/** With the term beside the rest. A query of another shape is put in parentheses first. */
export function withTerm(query: string, term: string): string {
  const rest = query.trim()
  if (rest === "") return term
  if (hasTerm(rest, term)) return rest
  return termsOf(rest) === null && !/(^|\s)->\d*(\s|$)/.test(rest) ? `(${rest}) ${term}` : `${rest} ${term}`
}

export function withoutTerm(query: string, term: string): string {
  return (termsOf(query) ?? [query]).filter((each) => each !== term).join(" ")
}

/** The terms that are shown as chips: fields and figures, not words. */
export function chipsOf(query: string): string[] {
  return (termsOf(query) ?? []).filter((term) => /^-?[a-z]+(:|[<>]=?|=).+/i.test(term) && !/^-?[a-z]+:\/\//i.test(term))
}
