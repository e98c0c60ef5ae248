/** Permission requests for tests; a test gives the fields that matter to it. */

import type { ApprovalCard, ApprovalDecision } from "@/api/schema"

export function approvalCard(id: string, given: Partial<ApprovalCard> = {}): ApprovalCard {
  return {
    id,
    digest: `digest of ${id}`,
    state: "pending",
    tool: "Bash",
    kind: "command",
    title: "Bash",
    blocks: [],
    whole: { type: "json", text: "{}", title: "whole input", is_bulk: true, cut_chars: 0 },
    input: "{}",
    hints: [],
    offers: [],
    facts: [],
    session: "a-session",
    conversation: null,
    conversation_title: null,
    workspace_name: null,
    run: null,
    agent: null,
    created_at: "2026-02-03T04:05:00Z",
    deadline_at: null,
    decision: null,
    effect: null,
    settled_at: null,
    latency_ms: null,
    note: null,
    ...given,
  }
}

export function decision(given: Partial<ApprovalDecision> = {}): ApprovalDecision {
  return {
    behavior: "allow",
    at: "2026-02-03T04:05:12Z",
    surface: "page",
    message: "",
    is_changed: false,
    approver: null,
    rules: [],
    ...given,
  }
}
