/** The choices for a new agent, and the request made from them. Pure. */

import type { AgentShown, Message, Place, RunAsked } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { shortPath } from "@/parts/places"
import { modeInWords } from "./in-words"

/** Names that the client has for its models; any other name can be typed. */
export const USUAL_MODELS = ["opus", "sonnet", "haiku", "opusplan"] as const

export type Mode = "usual" | "default" | "plan" | "acceptEdits" | "auto" | "dontAsk"

export interface ModeChoice {
  value: Mode
  label: string
  /** What it means, in one line. */
  hint: string
}

/** Every mode of the client except the one that never asks. */
const MODES: readonly ModeChoice[] = [
  { value: "default", label: "Ask first", hint: "Reads freely; asks before it changes a file or runs a command." },
  { value: "plan", label: "Plan first", hint: "Only reads, and shows you a plan before it begins." },
  { value: "acceptEdits", label: "Accept edits", hint: "Changes files in the folder without asking; asks before commands." },
  { value: "auto", label: "Auto", hint: "The client judges by itself what is safe, and asks or refuses the rest." },
  { value: "dontAsk", label: "Don’t ask", hint: "Asks nothing: what no rule allows is denied." },
]

export interface Choices {
  /** The id of a place. */
  place: string
  agent: string
  model: string
  mode: Mode
}

/** The places grouped by their origin, each with a unique name. */
export function placesNamed(places: readonly Place[]): { title: string; places: { place: Place; name: string }[] }[] {
  const short = places.map(({ folder }) => shortPath(folder))
  const named = places.map((place, index) => {
    const name = short[index] ?? ""
    return { place, name: seenLine(short.filter((each) => each === name).length > 1 ? place.folder : name) }
  })
  return [
    { title: "Workspaces", places: named.filter(({ place }) => place.is_named) },
    { title: "Worked in before", places: named.filter(({ place }) => !place.is_named) },
  ].filter((group) => group.places.length > 0)
}

/** Returns the first of the wishes (chosen, named in the address, used before) that exists; else the first place. */
export function placeOf(places: readonly Place[], ...wishes: readonly (string | null)[]): Place | null {
  const found = wishes.map((wish) => places.find(({ id }) => id === wish)).find((place) => place !== undefined)
  return found ?? places[0] ?? null
}

export function agentOf(place: Place | null, name: string): AgentShown | null {
  return place?.agents.find((agent) => agent.name === name) ?? null
}

/** The modes to choose from: first the one configured for the agent, then those of the client that this login may choose. */
export function modesFor(agent: AgentShown | null, allowed: readonly string[]): readonly ModeChoice[] {
  const own = agent?.mode ?? null
  const modes = MODES.filter(({ value }) => allowed.includes(value))
  if (own === null || own === "default") return modes.map((mode) => (mode.value === "default" ? { ...mode, value: "usual" } : mode))
  const hint = MODES.find(({ value }) => value === own)?.hint ?? "As this agent was set up in the terminal."
  return [
    { value: "usual", label: `As set up: ${modeInWords(own)}`, hint },
    ...modes.filter(({ value }) => value !== own),
  ]
}

export function askedOf({ place, agent, model, mode }: Choices, message: Message): RunAsked {
  return {
    place,
    message,
    agent: agent === "" ? null : agent,
    model: model.trim() === "" ? null : model.trim(),
    mode: mode === "usual" ? null : mode,
  }
}
