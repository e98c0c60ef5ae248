/** The reader's language, or undefined for the default: some systems name one that `Intl` refuses (`en-US@posix`). */
export function readersLocale(named: string = navigator.language): string | undefined {
  const plain = named.split("@")[0]?.replace("_", "-")
  try {
    return plain ? Intl.getCanonicalLocales(plain)[0] : undefined
  } catch {
    return undefined
  }
}

export const LOCALE = readersLocale()
