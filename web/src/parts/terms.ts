/** The terms of a query that are simply listed one after the other, so that a click can add or remove one. Pure. */

/**
 * Splits a query at spaces outside quotes, patterns and parentheses. Returns null if the terms are not simply listed
 * (`OR`, `->`, an open parenthesis), because then no term can be removed without changing the meaning.
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

/** Returns the query with the term added. A query of another shape is put in parentheses first. */
export function withTerm(query: string, term: string): string {
  const rest = query.trim()
  if (rest === "") return term
  if (hasTerm(rest, term)) return rest
  return termsOf(rest) === null && !/(^|\s)->\d*(\s|$)/.test(rest) ? `(${rest}) ${term}` : `${rest} ${term}`
}

export function withoutTerm(query: string, term: string): string {
  return (termsOf(query) ?? [query]).filter((each) => each !== term).join(" ")
}

/** The terms that are shown as chips: fields and numbers, not words. */
export function chipsOf(query: string): string[] {
  return (termsOf(query) ?? []).filter((term) => /^-?[a-z]+(:|[<>]=?|=).+/i.test(term) && !/^-?[a-z]+:\/\//i.test(term))
}
