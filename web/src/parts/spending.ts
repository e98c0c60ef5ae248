/** Tokens and dollars of a conversation, short and in full. Pure. */

import type { ConversationSummary, Tokens } from "@/api/schema"
import { cost, count } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"

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

type Spent = Pick<ConversationSummary, "cost_usd" | "reported_usd" | "is_lower_bound" | "why_no_cost" | "copied">

/** The computed cost, else the reported one; "?" if only the reason is known, null if nothing was used. */
export function costInShort({ cost_usd, reported_usd, is_lower_bound, why_no_cost }: Spent): string | null {
  if (cost_usd !== null) return `${is_lower_bound ? "≥" : ""}${cost(cost_usd)}`
  if (reported_usd !== null) return cost(reported_usd)
  return why_no_cost === null ? null : "?"
}

export function costInFull({ cost_usd, reported_usd, is_lower_bound, why_no_cost, copied }: Spent): string {
  const computed = cost_usd === null ? "Not computed" : `Computed from tokens: ${is_lower_bound ? "at least " : ""}${exactly(cost_usd)}`
  const reason = why_no_cost !== null ? ` (${seenLine(why_no_cost)})` : cost_usd === null ? " (no tokens are known)" : ""
  const reported = reported_usd === null ? "The client reported none" : `Reported by the client: ${exactly(reported_usd)}`
  return [computed + reason, reported, ...(copied ? [`Without ${copiedInShort(copied)}`] : [])].join("\n")
}

/** The tokens that a fork copied from its source, and where they are counted. */
export function copiedInShort(copied: Tokens): string {
  return `${count(tokensInAll(copied))} tokens copied from the conversation it was forked from`
}

function exactly(usd: number): string {
  return `$${usd.toFixed(4)}`
}
