/** The one-time link is `/#t=TOKEN`: a fragment appears in no log and in no request. */

export function tokenIn(fragment: string): string | null {
  const token = new URLSearchParams(fragment.replace(/^#/, "")).get("t")
  return token === null || token === "" ? null : token
}

/** Removes the token from the address, so that it is neither in the history nor on a screenshot. */
export function takeToken(page: Pick<Window, "location" | "history"> = window): string | null {
  const token = tokenIn(page.location.hash)
  if (token !== null) page.history.replaceState(null, "", page.location.pathname + page.location.search)
  return token
}
