/** Identifiers of programs, as people write them. Pure. */

import { seenLine } from "@/blocks/text/seen"

const WORDS: Record<string, string> = {
  max_tokens: "stopped at the limit of tokens",
  max_turns: "stopped at the limit of turns",
  end_turn: "finished",
  pause_turn: "paused",
  model_context_window_exceeded: "the context window is full",
}

/** `max_tokens` → `stopped at the limit of tokens`, `some_new_state` → `some new state`. */
export function inWords(word: string): string {
  if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? word
  return seenLine(/^[a-z0-9]+(_[a-z0-9]+)+$/.test(word) ? word.replaceAll("_", " ") : word)
}
