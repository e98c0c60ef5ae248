/** The choices for a typed text, best first within each kind. Pure. */

import type { LucideIcon } from "lucide-react"
import type { ConversationSummary } from "@/api/schema"
import { score } from "./score"

export interface Action {
  id: string
  title: string
  icon: LucideIcon
  keys?: string
  /** Other words that find it. */
  words?: string
  run: () => void
}

export type Choice =
  | { kind: "conversation"; conversation: ConversationSummary }
  /** A conversation that matches by its content, not by its title, place or tags. */
  | { kind: "said"; conversation: ConversationSummary }
  | { kind: "action"; action: Action }
  | { kind: "search"; text: string }

const AT_FIRST = 6
const MOST = 40

export function choicesFor(
  text: string,
  actions: readonly Action[],
  conversations: readonly ConversationSummary[],
  /** What the server found: conversations that are not loaded yet. */
  further: readonly ConversationSummary[] = [],
): Choice[] {
  const asked = text.trim()
  const near = best(conversations, asked, (each) => [
    each.title,
    `${each.workspace_name} ${each.branch ?? ""} ${each.tags.join(" ")} ${each.first_prompt ?? ""} ${each.id}`,
  ])
  const names = new Set(near.map((each) => each.name))
  const said = asked === "" ? [] : further.filter((each) => !names.has(each.name))
  return [
    ...near.slice(0, asked === "" ? AT_FIRST : MOST).map((conversation) => ({ kind: "conversation" as const, conversation })),
    ...said.map((conversation) => ({ kind: "said" as const, conversation })),
    ...best(actions, asked, ({ title, words = "" }) => [title, words]).map((action) => ({ kind: "action" as const, action })),
    ...(asked === "" ? [] : [{ kind: "search" as const, text: asked }]),
  ]
}

/** Returns the query for a typed text: its words, the last one possibly unfinished; null if there is too little. */
export function askedOf(text: string): string | null {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.join("").length < 2 ? null : `${words.join(" ")}*`
}

/** Matches in the title count double; equal results keep their order. */
function best<T>(items: readonly T[], asked: string, wordsOf: (item: T) => [string, string]): readonly T[] {
  if (asked === "") return items
  return items
    .map((item) => {
      const [title, rest] = wordsOf(item)
      return { item, score: 2 * score(title, asked) || score(`${title} ${rest}`, asked) }
    })
    .filter((each) => each.score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item)
}
