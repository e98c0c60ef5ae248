/** Small choices that the browser stores. If it may not, they last as long as the page. */

const PREFIX = "chorus."

export function recalled(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, value)
  } catch {
    // Private windows may refuse; then nothing is stored.
  }
}
