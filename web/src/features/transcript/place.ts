/** The place in a conversation that the address of the page names. */

import { addressOf } from "@/parts/places"

export interface Place {
  /** A sub-agent's thread; "" for the main one. */
  thread: string
  /** The first message of each continuation that was chosen where the conversation branches. */
  branch: readonly string[]
  /** The id of the row to show, or of a part of it; null for the end. */
  at: string | null
  /** The words that a search found there. */
  words: readonly string[]
}

/** A place of the same conversation to go to; undefined fields are left out of the address. */
export interface Go {
  thread?: string
  branch?: string[]
  at?: string
  word?: string[]
}

/** Continues in a copy of the conversation that ends with a message, given by its uuid and its first words. */
export type OnFork = (at: string, words: string) => void

/** Goes to a place. A correction replaces the current address, so that the back button does not lead to it again. */
export type OnGo = (place: Go, isCorrection?: boolean) => void

/** The address of a place, for the clipboard. */
export function permalink(origin: string, name: string, place: Place): string {
  return `${origin}${addressOf(name, place)}`
}

/** Returns the chosen continuations after `head` is chosen among `heads`; the active continuation is not named. */
export function chosenBranch(
  branch: readonly string[],
  heads: readonly { id: string; is_active: boolean }[],
  head: string,
): string[] {
  const others = branch.filter((chosen) => !heads.some((each) => each.id === chosen))
  return heads.some((each) => each.id === head && each.is_active) ? others : [...others, head]
}
