import { recalled } from "./remembered"

/** The reader's language, or undefined for the default: some systems name one that `Intl` refuses (`en-US@posix`). */
export function readersLocale(named: string = navigator.language): string | undefined {
  const plain = named.split("@")[0]?.replace("_", "-")
  try {
    return plain ? Intl.getCanonicalLocales(plain)[0] : undefined
  } catch {
    return undefined
  }
}

/** The same with the clock that was chosen: 12 or 24 hours, else as the language has it. */
export function withClock(locale: string | undefined, clock: string | null): string | undefined {
  const cycle = clock === "12" ? "h12" : clock === "24" ? "h23" : null
  if (cycle === null) return locale
  try {
    return new Intl.Locale(locale ?? new Intl.DateTimeFormat().resolvedOptions().locale, { hourCycle: cycle }).toString()
  } catch {
    return locale
  }
}

/** Read once: whoever changes the clock loads the page again. */
export const LOCALE = withClock(readersLocale(), recalled("clock"))
