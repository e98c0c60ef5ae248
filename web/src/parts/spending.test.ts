import { expect, it } from "vitest"
import { NO_TOKENS } from "@/testing/summaries"
import { costInFull, costInShort, tokensInAll } from "./spending"

it("prefers what was computed, and says both in full", () => {
  const spent = { cost_usd: 1.5, reported_usd: 1.25 }
  expect(costInShort(spent)).toBe("$1.50")
  expect(costInFull(spent)).toBe("Computed from tokens: $1.5000\nReported by the client: $1.2500")
})

it("never takes what is unknown for nothing", () => {
  expect(costInShort({ cost_usd: null, reported_usd: 0.5 })).toBe("$0.50")
  expect(costInShort({ cost_usd: null, reported_usd: null })).toBeNull()
  expect(costInFull({ cost_usd: null, reported_usd: null })).toContain("unknown")
})

it("counts cached tokens as tokens", () => {
  expect(tokensInAll({ ...NO_TOKENS, input: 1, output: 2, cache_creation: 3, cache_read: 4 })).toBe(10)
})
