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

const BEGUN = "begun"

/** Keeps the words that an agent was started with, in the place of those of the one before. */
export function keepBegun(run: string, text: string): void {
  keepDraft(BEGUN, `${run} ${text}`)
}

/** The words that an agent was started with are to be sent again, unless something else is being written there. */
export function takeBack(run: string, of: string): void {
  const begun = draftOf(BEGUN)
  if (begun.startsWith(`${run} `) && draftOf(of) === "") keepDraft(of, begun.slice(run.length + 1))
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
