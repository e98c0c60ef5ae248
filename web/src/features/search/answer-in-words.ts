import type { SearchAnswer } from "@/api/schema"
import { several } from "@/blocks/text/figures"

type Answered = Pick<SearchAnswer, "hits" | "described" | "next" | "is_partial" | "looked_to" | "is_spread" | "took_ms">

/** Says what a search found, and what it did not search. */
export function answerInWords(pages: readonly Answered[]): string {
  const first = pages[0]
  if (first === undefined) return ""
  const hits = pages.reduce((sum, page) => sum + page.hits.length, 0)
  if (hits === 0) return first.described.length === 0 ? "" : `${several(first.described.length, "conversation")} by title, tag or note`
  const hasMore = pages.at(-1)?.next !== null
  const found = hasMore ? `${hits.toLocaleString("en-US")}+ hits` : several(hits, "hit")
  const words = [
    first.is_spread ? `${several(hits, "conversation")} with the words in different places: none has them all in one` : found,
    pages.at(-1)?.is_partial ? lookedInWords(pages.at(-1)?.looked_to) : null,
    `${Math.max(1, Math.round(first.took_ms))} ms`,
  ]
  return words.filter((word) => word !== null).join(" · ")
}

function lookedInWords(to: string | null | undefined): string {
  return to ? `searched back to ${to.slice(0, 10)}` : "not everything was searched"
}
