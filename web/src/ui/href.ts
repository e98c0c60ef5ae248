export interface SafeHref {
  href: string
  /** The target for a reader: the host, or the mail address. */
  place: string
}

const SCHEMES = new Set(["http:", "https:", "mailto:"])

/**
 * Returns an address that may be followed, or null. Relative addresses may not: a transcript cannot know a place in
 * this application.
 */
export function safeHref(text: string): SafeHref | null {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return null
  }
  if (!SCHEMES.has(url.protocol)) return null
  // A user name before the host (`https://bank.example@evil.example`) only serves to deceive.
  url.username = ""
  url.password = ""
  return { href: url.href, place: url.protocol === "mailto:" ? url.pathname : url.host }
}
