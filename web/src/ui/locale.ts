import { recalled } from "./remembered"

/**
 * Returns the language of the reader, or undefined for the default: some systems name one that `Intl` refuses (`en-
 * US@posix`).
 */
export function readersLocale(named: string = navigator.language): string | undefined {
  const plain = named.split("@")[0]?.replace("_", "-")
  try {
    return plain ? Intl.getCanonicalLocales(plain)[0] : undefined
  } catch {
    return undefined
  }
}

/** The same with the chosen clock: 12 or 24 hours, else the default of the language. */
export function withClock(locale: string | undefined, clock: string | null): string | undefined {
  const cycle = clock === "12" ? "h12" : clock === "24" ? "h23" : null
  if (cycle === null) return locale
  try {
    return new Intl.Locale(locale ?? new Intl.DateTimeFormat().resolvedOptions().locale, { hourCycle: cycle }).toString()
  } catch {
    return locale
  }
}

/** Read once: after a change of the clock, the page is loaded again. */
export const LOCALE = withClock(readersLocale(), recalled("clock"))
