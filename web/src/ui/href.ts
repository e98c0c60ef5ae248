export interface SafeHref {
  href: string
  /** Where it leads, for a person: the host, or the address of a mail. */
  place: string
}

const SCHEMES = new Set(["http:", "https:", "mailto:"])

/** An address that may be followed, or null. Relative ones are not: a transcript knows no place in this application. */
export function safeHref(text: string): SafeHref | null {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return null
  }
  if (!SCHEMES.has(url.protocol)) return null
  // A name before the host (`https://bank.example@evil.example`) only serves to deceive.
  url.username = ""
  url.password = ""
  return { href: url.href, place: url.protocol === "mailto:" ? url.pathname : url.host }
}
