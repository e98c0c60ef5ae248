/** Where in a conversation the reader is: what the address of the page says. */

import { addressOf } from "@/parts/places"

export interface Place {
  /** A sub-agent's thread; "" for the main one. */
  thread: string
  /** The first message of each continuation that was chosen where the conversation branches. */
  branch: readonly string[]
  /** The id of the row to show, or of a part of it; null for the end. */
  at: string | null
  /** The words by which a search found it. */
  words: readonly string[]
}

/** A place of the same conversation to go to; what is undefined is left out of the address. */
export interface Go {
  thread?: string
  branch?: string[]
  at?: string
  word?: string[]
}

/** A correction takes the place of the address it corrects: going back must not lead into it again. */
/** Goes on in a copy that ends with a message: its uuid, and how it begins. */
export type OnFork = (at: string, words: string) => void

export type OnGo = (place: Go, isCorrection?: boolean) => void

/** The address of a place, for the clipboard. */
export function permalink(origin: string, name: string, place: Place): string {
  return `${origin}${addressOf(name, place)}`
}

/** The continuations chosen when `head` is chosen among `heads`; the one that goes on by itself is not named. */
export function chosenBranch(
  branch: readonly string[],
  heads: readonly { id: string; is_active: boolean }[],
  head: string,
): string[] {
  const others = branch.filter((chosen) => !heads.some((each) => each.id === chosen))
  return heads.some((each) => each.id === head && each.is_active) ? others : [...others, head]
}
