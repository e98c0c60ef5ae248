import { TriangleAlert } from "lucide-react"
import { useRouter } from "@tanstack/react-router"
import { useBackend } from "@/api/follow"
import type { RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { QueuedList } from "./queued-list"
import { RunBar } from "./run-bar"
import { RunSettings } from "./run-settings"
import type { useAct } from "./use-act"

/** Where the cards of a conversation stand on its page. */
const CARDS = "[data-approval]"

/** An agent at work: how it stands, what it has not begun with, and its settings if they are open. */
export function LivingRun({
  run,
  acting: { act, isActing },
  isSetting,
  onInterrupt,
}: {
  run: RunShown
  acting: ReturnType<typeof useAct>
  isSetting: boolean
  onInterrupt: () => void
}) {
  const backend = useBackend()
  const { history } = useRouter()
  const showWaiting = () => {
    const card = document.querySelector(CARDS)
    if (card === null) history.push("/approvals")
    else card.scrollIntoView({ block: "nearest" })
  }
  return (
    <>
      <RunBar
        run={run}
        isActing={isActing}
        onWaiting={showWaiting}
        onInterrupt={onInterrupt}
        onStop={() => void act(() => backend.stopRun(run.id))}
      />
      {run.trouble === "" ? null : (
        <p role="alert" className="flex gap-1.5 text-sm text-failed">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0 break-words">{seenLine(run.trouble)}</span>
        </p>
      )}
      <QueuedList queued={run.queued} />
      {isSetting ? (
        <RunSettings run={run} isActing={isActing} onChange={(change) => act(() => backend.changeRun(run.id, change))} />
      ) : null}
    </>
  )
}
