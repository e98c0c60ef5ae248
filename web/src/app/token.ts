/** The one-time link is `/#t=TOKEN`: a fragment is in no log and in no request. */

export function tokenIn(fragment: string): string | null {
  const token = new URLSearchParams(fragment.replace(/^#/, "")).get("t")
  return token === null || token === "" ? null : token
}

/** Takes the token out of the address, so that neither the history nor a screenshot has it. */
export function takeToken(page: Pick<Window, "location" | "history"> = window): string | null {
  const token = tokenIn(page.location.hash)
  if (token !== null) page.history.replaceState(null, "", page.location.pathname + page.location.search)
  return token
}
