import type { UsageLine } from "@/api/schema"

/** A line of a usage report; zeros, unless a test says otherwise. */
export function usageLine(facts: Partial<UsageLine> = {}): UsageLine {
  return {
    key: "2026-02-03",
    label: "2026-02-03",
    query: "usage:day=2026-02-03",
    input: 0,
    output: 0,
    cache_creation: 0,
    cache_read: 0,
    cache_hit_rate: null,
    messages: 0,
    cost_usd: 0,
    is_cost_lower_bound: false,
    is_output_lower_bound: false,
    reported_usd: null,
    ...facts,
  }
}
