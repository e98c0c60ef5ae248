/** Drafts of messages. They survive page changes and reloads, and end with the tab. */

const PREFIX = "chorus.draft."

/** Used if the browser stores nothing. */
const here = new Map<string, string>()

export function draftOf(of: string): string {
  try {
    return sessionStorage.getItem(PREFIX + of) ?? here.get(of) ?? ""
  } catch {
    return here.get(of) ?? ""
  }
}

const BEGUN = "begun"

/** Stores the first message of an agent, replacing that of the agent before. */
export function keepBegun(run: string, text: string): void {
  keepDraft(BEGUN, `${run} ${text}`)
}

/** Restores the first message of an agent as a draft, unless another text is being written there. */
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
