import { lazy, Suspense } from "react"
import { useRunning, useSource } from "@/api/follow"
import { isLiving } from "@/api/runs"
import type { RunShown } from "@/api/schema"
import { useConversation } from "@/api/use-conversation"
import { ComposerAtRest } from "@/features/runs/composer-at-rest"
import type { Fork } from "@/features/runs/forking"
import { withRunning } from "@/parts/activity"
import { useGoToRun } from "./new-run-route"

export const loadComposer = () => import("@/features/runs/composer")
const Composer = lazy(loadComposer)

/**
 * The message box of a conversation, if it can be continued: a conversation of which only the prompts were recorded
 * cannot.
 */
export function ComposerHere({
  name,
  thread,
  run,
  fork,
  onForkEnd,
}: {
  name: string
  thread: string
  run: RunShown | null
  fork: Fork | null
  onForkEnd: () => void
}) {
  const { live } = useSource()
  const running = useRunning()
  const goToRun = useGoToRun()
  // The page itself loads it.
  const detail = useConversation(name, { isEnabled: false })
  const summary = detail.data === undefined ? null : withRunning(detail.data.summary, running)
  const isAtWork = run !== null && isLiving(run)
  const isCalledFor = fork !== null || isAtWork
  // A sub-agent cannot receive messages; the agent that it works for can be steered from its thread, too.
  if (live === null || (!isCalledFor && (thread !== "" || summary?.is_stub === true))) return null
  if (!isCalledFor && summary === null) {
    // The rows may be shown before this is loaded: a placeholder keeps them from moving. A run that was never recorded
    // has no rows.
    return run === null || run.is_kept ? <ComposerAtRest /> : null
  }
  return (
    <Suspense fallback={<ComposerAtRest />}>
      <Composer
        name={name}
        running={summary?.running ?? null}
        run={run}
        fork={fork}
        onForkEnd={onForkEnd}
        onStarted={(started) => {
          onForkEnd()
          goToRun(started)
        }}
      />
    </Suspense>
  )
}
