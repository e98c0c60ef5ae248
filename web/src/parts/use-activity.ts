import { useRunning } from "@/api/follow"
import type { ConversationSummary } from "@/api/schema"
import { useAskingConversations } from "@/api/use-approvals"
import { useRunOf } from "@/api/use-runs"
import { useNow } from "@/ui/now"
import { type Activity, activityOf, waitingFor, withRun, withRunning } from "./activity"

/** What a conversation is doing now, and what it waits for. A permission request has priority over everything else. */
export function useActivity(loaded: ConversationSummary): { activity: Activity; waitingFor: string | null } {
  const now = useNow()
  const summary = withRun(withRunning(loaded, useRunning()), useRunOf(loaded.name))
  const isAsking = useAskingConversations().has(loaded.name)
  return { activity: isAsking ? "waiting" : activityOf(summary, now), waitingFor: waitingFor(summary) }
}
