/** Describes addresses that a transcript contains. */

import { safeHref } from "@/ui/href"

/** Returns where an image is said to be, for its placeholder: a host, or the kind of address. */
export function hostOf(text: string): string {
  try {
    const url = new URL(text.trim())
    return url.host || `a ${url.protocol.slice(0, -1)} address`
  } catch {
    return "a file"
  }
}

/** Returns the host that a link leads to, if its text names another one; null if the text does not deceive. */
export function otherHost(words: string, href: string): string | null {
  const safe = safeHref(href)
  if (safe === null || safe.href.startsWith("mailto:")) return null
  const named = /^\s*(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})(?=[\s/:?#]|$)/i.exec(words.slice(0, 300))?.[1]?.toLowerCase()
  if (named === undefined) return null
  const host = safe.place.replace(/:\d+$/, "").toLowerCase()
  return named === host || `www.${named}` === host || named === `www.${host}` ? null : safe.place
}
