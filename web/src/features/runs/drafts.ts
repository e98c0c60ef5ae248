/** What was typed and not sent. It survives a change of the page and a reload, and ends with the tab. */

const PREFIX = "chorus.draft."

/** Where the browser keeps nothing, the page itself does. */
const here = new Map<string, string>()

export function draftOf(of: string): string {
  try {
    return sessionStorage.getItem(PREFIX + of) ?? here.get(of) ?? ""
  } catch {
    return here.get(of) ?? ""
  }
}

export function keepDraft(of: string, text: string): void {
  if (text === "") here.delete(of)
  else here.set(of, text)
  try {
    if (text === "") sessionStorage.removeItem(PREFIX + of)
    else sessionStorage.setItem(PREFIX + of, text)
  } catch {
    // No room, or not allowed.
  }
}
