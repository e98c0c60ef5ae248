/** What a reader can choose on the usage page. Pure. */

import type { UsageShown } from "@/api/schema"

export type Grouping = UsageShown["by"]
export type Measure = "cost" | "tokens"

export const GROUPINGS: readonly { value: Grouping; label: string }[] = [
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
  { value: "month", label: "Month" },
  { value: "model", label: "Model" },
  { value: "workspace", label: "Workspace" },
  { value: "agent", label: "Agent" },
  { value: "subagent", label: "Sub-agent" },
]

export const PERIODS: readonly { value: string; label: string }[] = [
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
  { value: "90d", label: "90 days" },
  { value: "1y", label: "A year" },
  { value: "", label: "All" },
]

/** The grouping of that name; `day` for any other text. */
export function groupingNamed(name: string): Grouping {
  return GROUPINGS.find(({ value }) => value === name)?.value ?? "day"
}

export function isPeriod(by: Grouping): boolean {
  return by === "day" || by === "week" || by === "month"
}
