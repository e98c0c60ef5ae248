import type { LookedFor, SearchAnswer } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"

type Answered = Pick<SearchAnswer, "is_loose" | "looked_for">

/** Says what was searched for, if it differs from what the typed words suggest. */
export function lookedForInWords({ is_loose, looked_for }: Answered): string {
  const terms = looked_for.map((each) => inWords(each, is_loose)).filter((words) => words !== null)
  const before = is_loose ? ["Nothing has this exactly as typed; these have its words"] : []
  return [...before, ...terms].join(" · ")
}

function inWords({ term, how, words }: LookedFor, isLoose: boolean): string | null {
  const typed = seenLine(term)
  if (how === "not") return `${typed} was not looked for: it has no letters, digits or signs beyond ASCII`
  if (how === "exactly") return `${typed} exactly as typed`
  if (how === "beginning" && !term.endsWith("*")) return `words that begin with ${typed}`
  const said = words.join(" ")
  return how === "words" && isLoose && said !== term.toLowerCase() ? `${typed} as ${seenLine(said)}` : null
}
