import type { Column } from "@/api/schema"

/** The words and the colour of each column of the board. */
export const COLUMN_LOOKS: Record<Column, { title: string; colour: string; empty: string }> = {
  "needs you": { title: "Needs you", colour: "text-waiting", empty: "Nothing needs you." },
  working: { title: "Working", colour: "text-running", empty: "No agent works." },
  idle: { title: "Idle", colour: "text-ink-2", empty: "No agent is idle." },
  "done today": { title: "Done today", colour: "text-done", empty: "Nothing ended today." },
  failed: { title: "Failed", colour: "text-failed", empty: "Nothing failed." },
}
