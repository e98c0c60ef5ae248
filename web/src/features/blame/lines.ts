import type { Blame, LineOrigin } from "@/api/schema"
import { addressOf } from "@/parts/places"
import { modelName } from "@/parts/model-name"
import { seenLine } from "@/blocks/text/seen"

/** How many colours tell conversations apart. */
export const COLOURS = 6

/** One line of the file. */
export interface BlamedLine {
  number: number
  text: string
  origin: LineOrigin | null
  /** The colour of the conversation; null if the origin is not known. */
  colour: number | null
  /** Whether it is the first or the second line of a stretch with one origin. */
  nth: number
}

/** The lines of a file in order. Conversations get their colours in the order in which they appear. */
export function linesOf(blame: Blame): BlamedLine[] {
  const colours = new Map<string, number>()
  return blame.stretches.flatMap(({ first, lines, origin: at }) => {
    const origin = at === null ? null : (blame.origins[at] ?? null)
    let colour: number | null = null
    if (origin !== null) {
      colour = colours.get(origin.conversation) ?? colours.size % COLOURS
      colours.set(origin.conversation, colour)
    }
    return lines.map((text, nth) => ({ number: first + nth, text, origin, colour, nth }))
  })
}

/** Where a click on a line leads: to the prompt, else to the call, else to the conversation; null if it is not stored. */
export function placeOf(origin: LineOrigin): string | null {
  if (origin.conversation_name === "") return null
  const at = origin.prompt_at || (origin.call === "" ? null : `call:${origin.call}`)
  return addressOf(origin.conversation_name, { at })
}

/** The name of an origin: the beginning of its prompt, else the title of the conversation. */
export function titleOf(origin: LineOrigin): string {
  return seenLine(origin.prompt) || seenLine(origin.title) || `Conversation ${seenLine(origin.conversation).slice(0, 8)}`
}

/** Turn, tool, sub-agent and model, as far as they are known. */
export function factsOf(origin: LineOrigin): string {
  const facts = [
    origin.turn === 0 ? "" : `turn ${origin.turn}`,
    seenLine(origin.tool),
    origin.agent === "" ? "" : "sub-agent",
    origin.model === "" ? "" : seenLine(modelName(origin.model)),
  ]
  return facts.filter((fact) => fact !== "").join(" · ")
}

/** The first line of the next stretch with an origin, seen from the line at `from`; -1 if there is none. */
export function nextKnown(lines: readonly BlamedLine[], from: number, step: 1 | -1): number {
  for (let at = from + step; at >= 0 && at < lines.length; at += step) {
    const line = lines[at]
    if (line !== undefined && line.nth === 0 && line.origin !== null) return at
  }
  return -1
}
