/** Messages for tests; a test gives the fields that matter to it. */

import type { MessageRow } from "@/api/schema"

export function messageRow(given: Partial<MessageRow> = {}): MessageRow {
  return {
    type: "message",
    id: "m",
    time: null,
    author: "model",
    model: null,
    duration_ms: null,
    tokens: null,
    cost_usd: null,
    stop_reason: null,
    error: null,
    is_partial: false,
    is_unfinished: false,
    is_queued: false,
    is_abandoned: false,
    pieces: [],
    ...given,
  }
}
