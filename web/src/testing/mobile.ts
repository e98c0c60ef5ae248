import type { MobileBody, MobileFrame, MobileHello, MobileSent, MobileTile } from "@/api/schema"

export const CONVERSATION = "shop/main/a"

export function hello(seq: number, fields: Partial<MobileHello> = {}): MobileFrame {
  return frame(null, null, sent(null, null, {
    type: "hello",
    version: "chorus.mobile.v1",
    scopes: ["approve", "read", "steer"],
    capabilities: [],
    epoch: "e",
    seq,
    isReset: false,
    pending: [],
    ...fields,
  }))
}

/** A step of the feed, or a frame without numbers. */
export function frame(since: number | null, seq: number | null, ...messages: MobileSent[]): MobileFrame {
  return { since, seq, messages }
}

export function sent(conversation: string | null, id: string | null, message: MobileBody, isPartial = false): MobileSent {
  return { conversation, id, revision: id === null ? null : JSON.stringify(message), isPartial, message }
}

/** What a person said in the conversation `CONVERSATION`. */
export function said(id: string, content: string, isPartial = false): MobileSent {
  return sent(CONVERSATION, id, { type: "user_message", content, conversationId: "a" }, isPartial)
}

export function mobileTile(fields: Partial<MobileTile> = {}): MobileTile {
  return {
    type: "tile",
    conversation: CONVERSATION,
    conversationId: "a",
    projectId: "shop",
    projectName: "shop",
    agent: "main",
    title: "Count the boats",
    folder: "/shop",
    branch: null,
    column: "working",
    status: "running",
    runId: null,
    runState: null,
    pane: null,
    reasons: [],
    calls: [],
    progress: null,
    subAgents: [],
    alerts: [],
    subAgentsTotal: 0,
    subAgentsAtWork: 0,
    context: null,
    costUsd: null,
    isLowerBound: false,
    startedAt: null,
    lastAt: null,
    ...fields,
  }
}
