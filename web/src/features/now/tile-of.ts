/** What a phone is told of a conversation, in the form that the board draws. Nothing is decided here. Pure. */

import type { MobileProgress, MobileTile, Tile } from "@/api/schema"
import type { ConversationFacts, ProgressFacts } from "@/parts/progress"

export function tileOf(told: MobileTile): Tile {
  return {
    name: told.conversation,
    id: told.conversationId,
    title: told.title,
    workspace: told.projectId,
    workspace_name: told.projectName,
    agent: told.agent,
    branch: told.branch,
    folder: told.folder,
    column: told.column,
    status: told.status,
    run: told.runId === null ? null : { id: told.runId, state: told.runState ?? "" },
    pane: told.pane,
    reasons: told.reasons.map(({ kind, text, requestId, callId, since }) => ({ kind, text, request: requestId, call: callId, since })),
    calls: told.calls.map(({ callId, tool, subject, agentId, since }) => ({ call: callId, tool, text: subject, thread: agentId, since })),
    progress: null,
    alerts: told.alerts.map(({ kind, text, agentId, since, itemId, count }) => ({
      kind,
      text,
      thread: agentId,
      since,
      evidence: itemId === null ? [] : [{ item: itemId, time: null }],
      count,
    })),
    sub_agents: told.subAgentsTotal,
    sub_agents_at_work: told.subAgentsAtWork,
    context: told.context === null ? null : { tokens: told.context.tokens, window: told.context.window, is_known: told.context.isKnown },
    cost_usd: told.costUsd,
    is_lower_bound: told.isLowerBound,
    started_at: told.startedAt,
    last_at: told.lastAt,
  }
}

/** How far a conversation and its sub-agents are; null if nothing says so. */
export function progressOf({ progress, subAgents }: Pick<MobileTile, "progress" | "subAgents">): ConversationFacts | null {
  if (progress === null && subAgents.length === 0) return null
  return {
    main: factsOf(progress),
    sub_agents: subAgents.map(({ agentId, description, currentStep, calls, source, progress: own }) => ({
      id: agentId,
      description,
      step: currentStep,
      calls,
      source,
      progress: factsOf(own),
    })),
  }
}

function factsOf(progress: MobileProgress | null): ProgressFacts | null {
  if (progress === null) return null
  const { currentStep, completedSteps, totalSteps, percentage, source, confidence, reason } = progress
  return { step: currentStep, completed: completedSteps, total: totalSteps, percentage, source, confidence, reason }
}
