import { expect, it } from "vitest"
import { usageLine } from "@/testing/usage"
import { costOf, share, sizeOf, took } from "./in-words"

it("shows an unknown cost as a question mark, and a lower bound with its sign", () => {
  expect(costOf(usageLine({ cost_usd: null, is_cost_lower_bound: true }))).toBe("?")
  expect(costOf(usageLine({ cost_usd: null }))).toBe("–")
  expect(costOf(usageLine({ cost_usd: 0 }))).toBe("$0.00")
  expect(costOf(usageLine({ cost_usd: 1.5, is_cost_lower_bound: true }))).toBe("≥$1.50")
})

it("never shows an unknown duration or share as 0", () => {
  expect(took(null)).toBe("?")
  expect(share(null)).toBe("–")
  expect(share(0)).toBe("0.0 %")
})

it("has no size for an unknown cost", () => {
  expect(sizeOf(usageLine({ cost_usd: null }), "cost")).toBeNull()
  expect(sizeOf(usageLine({ input: 1, cache_read: 2 }), "tokens")).toBe(3)
})
