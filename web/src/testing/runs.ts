/** Runs for tests; a test gives the fields that matter to it. */

import type { RunShown } from "@/api/schema"

export function run(id: string, given: Partial<RunShown> = {}): RunShown {
  return {
    id,
    session: `session-${id}`,
    conversation: `shop/main/session-${id}`,
    is_kept: true,
    title: "",
    folder: "/home/ada/code/shop",
    agent: null,
    state: "running",
    queued: [],
    model: "claude-opus-4-5",
    mode: "default",
    trouble: "",
    advice: "",
    started_at: "2026-02-03T12:00:00Z",
    ended_at: null,
    ending: "",
    is_failure: false,
    budgets: [],
    ...given,
  }
}
