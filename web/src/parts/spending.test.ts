import { expect, it } from "vitest"
import { NO_TOKENS } from "@/testing/summaries"
import { costInFull, costInShort, tokensInAll } from "./spending"

const NOTHING = { cost_usd: null, reported_usd: null, is_lower_bound: false, why_no_cost: null, copied: null }

it("prefers what was computed, and says both in full", () => {
  const spent = { ...NOTHING, cost_usd: 1.5, reported_usd: 1.25 }
  expect(costInShort(spent)).toBe("$1.50")
  expect(costInFull(spent)).toBe("Computed from tokens: $1.5000\nReported by the client: $1.2500")
})

it("never takes what is unknown for nothing", () => {
  expect(costInShort({ ...NOTHING, reported_usd: 0.5 })).toBe("$0.50")
  expect(costInShort(NOTHING)).toBeNull()
  expect(costInFull(NOTHING)).toContain("no tokens are known")
  expect(costInShort({ ...NOTHING, why_no_cost: "no price for x" })).toBe("?")
  expect(costInFull({ ...NOTHING, why_no_cost: "no price for x" })).toContain("no price for x")
})

it("says what is but a lower bound, and what was copied", () => {
  const spent = { ...NOTHING, cost_usd: 1.5, is_lower_bound: true, copied: { ...NO_TOKENS, output: 7 } }
  expect(costInShort(spent)).toBe("≥$1.50")
  expect(costInFull(spent)).toContain("Without 7 tokens copied")
})

it("counts cached tokens as tokens", () => {
  expect(tokensInAll({ ...NO_TOKENS, input: 1, output: 2, cache_creation: 3, cache_read: 4 })).toBe(10)
})
