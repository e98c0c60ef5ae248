import { useRunning } from "@/api/follow"
import type { ConversationDetail } from "@/api/schema"
import { useRunOf } from "@/api/use-runs"
import { activityOf, isAtWork, withRun, withRunning } from "@/parts/activity"
import { useNow } from "@/ui/now"

/** Returns when a conversation that is at work last showed activity (ISO); null if it is not at work, or not loaded. */
export function useLastSign(name: string, detail: ConversationDetail | null): string | null {
  const now = useNow()
  const running = useRunning()
  const run = useRunOf(name)
  if (detail === null) return null
  const summary = withRun(withRunning(detail.summary, running), run)
  return isAtWork(activityOf(summary, now)) ? summary.ended_at : null
}
