/** Tokens and dollars of a conversation, short and in full. Pure. */

import type { ConversationSummary, Tokens } from "@/api/schema"
import { cost, count } from "@/blocks/text/figures"

/** All tokens that went in or out. */
export function tokensInAll(tokens: Tokens): number {
  return tokens.input + tokens.output + tokens.cache_creation + tokens.cache_read
}

export function tokensInFull(tokens: Tokens): string {
  return [
    `${count(tokens.input)} in`,
    `${count(tokens.output)} out`,
    `${count(tokens.cache_read)} read from cache`,
    `${count(tokens.cache_creation)} written to cache`,
  ].join("\n")
}

type Spent = Pick<ConversationSummary, "cost_usd" | "reported_usd">

/** What it cost, as we computed it; else as the client said; null when nobody knows. */
export function costInShort({ cost_usd, reported_usd }: Spent): string | null {
  const usd = cost_usd ?? reported_usd
  return usd === null ? null : cost(usd)
}

export function costInFull({ cost_usd, reported_usd }: Spent): string {
  const computed = cost_usd === null ? "Not computed: a price is unknown" : `Computed from tokens: ${exactly(cost_usd)}`
  const reported = reported_usd === null ? "The client reported none" : `Reported by the client: ${exactly(reported_usd)}`
  return `${computed}\n${reported}`
}

function exactly(usd: number): string {
  return `$${usd.toFixed(4)}`
}
