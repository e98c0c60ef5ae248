/** Values of the API types for tests; a test gives the fields that matter to it. */

import type { Changed, ConversationList, ConversationSummary, SearchHit, Tokens } from "@/api/schema"

export const NO_TOKENS: Tokens = {
  input: 0,
  output: 0,
  cache_creation: 0,
  cache_read: 0,
  cache_creation_5m: 0,
  cache_creation_1h: 0,
  web_searches: 0,
  web_fetches: 0,
}

export function summary(id: string, given: Partial<ConversationSummary> = {}): ConversationSummary {
  return {
    name: `shop/main/${id}`,
    id,
    workspace: "shop-2517dc10",
    workspace_name: "shop",
    agent: "main",
    title: `Title of ${id}`,
    own_title: `Title of ${id}`,
    first_prompt: null,
    is_starred: false,
    is_archived: false,
    tags: [],
    note: null,
    status: "done",
    folder: "/home/ada/code/shop",
    branch: "main",
    models: ["claude-opus-4-5-20251101"],
    started_at: null,
    ended_at: "2026-02-03T12:00:00Z",
    messages: 1,
    calls: 0,
    sub_agents: 0,
    sub_agents_at_work: 0,
    tokens: NO_TOKENS,
    copied: null,
    is_lower_bound: false,
    cost_usd: 1,
    why_no_cost: null,
    reported_usd: null,
    size_bytes: 0,
    damaged: 0,
    is_stub: false,
    running: null,
    progress: null,
    ...given,
  }
}

/** A conversation that ended at that minute of the hour. */
export function endedAt(id: string, minute: number, given: Partial<ConversationSummary> = {}): ConversationSummary {
  return summary(id, { ended_at: `2026-02-03T12:${String(minute).padStart(2, "0")}:00Z`, ...given })
}

export function listPage(conversations: ConversationSummary[], given: Partial<ConversationList> = {}): ConversationList {
  return { conversations, has_more: false, is_partial: false, epoch: "e", seq: 10, ...given }
}

export function changed(since: number, seq: number, conversations: ConversationSummary[], gone: string[] = []): Changed {
  return { type: "changed", since, seq, conversations, gone }
}

export function hit(number: number, given: Partial<SearchHit> = {}): SearchHit {
  return {
    number,
    conversation: summary(String(number)),
    id: `item-${number}`,
    key: ["", 0, "", 0, 0, ""],
    thread: "",
    kind: "message",
    role: "user",
    author: null,
    tool: null,
    is_failed: false,
    time: null,
    snippet: { text: "", marks: [] },
    stands: null,
    also: [],
    ...given,
  }
}
