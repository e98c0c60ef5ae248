/** The address in the QR code: `/pair#p=SECRET&s=SCOPE`. A fragment appears in no log and in no request. */

import { type AccessScope, isScope } from "@/parts/scopes"

export interface Offer {
  secret: string
  scope: AccessScope
}

/** What the QR code offers; "missing" if there is no code in the address, "broken" if it is not complete. */
export type Offered = Offer | "missing" | "broken"

export function offeredIn(fragment: string): Offered {
  const given = new URLSearchParams(fragment.replace(/^#/, ""))
  const secret = given.get("p") ?? ""
  const scope = given.get("s")
  if (secret === "" && scope === null) return "missing"
  return secret !== "" && isScope(scope) ? { secret, scope } : "broken"
}

/** Removes the secret from the address, so that it is neither in the history nor on a screenshot. */
export function takeOffer(page: Pick<Window, "location" | "history"> = window): Offered {
  const found = offeredIn(page.location.hash)
  if (found !== "missing") page.history.replaceState(null, "", page.location.pathname)
  return found
}
