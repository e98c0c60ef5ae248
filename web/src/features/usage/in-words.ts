/** Figures of the usage page in words. What is not known is a question mark, never 0. Pure. */

import type { UsageLine, UsageTool } from "@/api/schema"
import { cost, count, duration } from "@/blocks/text/figures"
import type { Measure } from "./choices"

export const KINDS = [
  { field: "output", label: "Output" },
  { field: "input", label: "Input" },
  { field: "cache_creation", label: "Cache write" },
  { field: "cache_read", label: "Cache read" },
] as const

export function costOf(line: Pick<UsageLine, "cost_usd" | "is_cost_lower_bound">): string {
  if (line.cost_usd === null) return line.is_cost_lower_bound ? "?" : "–"
  return `${line.is_cost_lower_bound ? "≥" : ""}${cost(line.cost_usd)}`
}

export function tokensOf(line: UsageLine): number {
  return line.input + line.output + line.cache_creation + line.cache_read
}

export function outputOf(line: UsageLine): string {
  return `${line.is_output_lower_bound ? "≥" : ""}${count(line.output)}`
}

export function share(rate: number | null): string {
  return rate === null ? "–" : `${(rate * 100).toFixed(1)} %`
}

export function took(ms: number | null): string {
  return ms === null ? "?" : duration(ms)
}

/** The size of a line in a chart; null if it is not known. */
export function sizeOf(line: UsageLine, measure: Measure): number | null {
  return measure === "cost" ? line.cost_usd : tokensOf(line)
}

export function sizeInWords(line: UsageLine, measure: Measure): string {
  return measure === "cost" ? costOf(line) : `${line.is_output_lower_bound ? "≥" : ""}${count(tokensOf(line))} tokens`
}

/** Errors with their share; refused calls are not among them. */
export function errorsOf(tool: UsageTool): string {
  return tool.errors === 0 ? "0" : `${tool.errors} (${share(tool.error_rate)})`
}
