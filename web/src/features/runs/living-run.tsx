import { TriangleAlert } from "lucide-react"
import { useRouter } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useBackend } from "@/api/follow"
import type { RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Words } from "@/ui/words"
import { asSentence } from "./in-words"
import { QueuedList } from "./queued-list"
import { RunBar } from "./run-bar"
import { RunBudgets } from "./run-budgets"
import { RunSettings } from "./run-settings"
import type { useAct } from "./use-act"

function Alert({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="flex gap-1.5 text-sm text-failed">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  )
}

/** The open cards of a conversation, on its page. */
const CARDS = "[data-approval]:not(.settled)"

/** An active agent: its state, its queued messages, and its settings if they are open. */
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
    const card = document.querySelector<HTMLElement>(CARDS)
    if (card === null) return history.push("/approvals")
    card.scrollIntoView({ block: "nearest" })
    // Focuses the card and none of its answers: the reader continues from there by keyboard.
    card.focus({ preventScroll: true })
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
      <RunBudgets budgets={run.budgets} />
      {run.trouble === "" ? null : (
        <Alert>
          <span className="font-medium">Not everything can be recorded or asked now: </span>
          {seenLine(run.trouble)}. It is tried again by itself.
        </Alert>
      )}
      {run.advice === "" ? null : (
        <Alert>
          <Words text={asSentence(run.advice)} />
        </Alert>
      )}
      <QueuedList queued={run.queued} />
      {isSetting ? (
        <RunSettings run={run} isActing={isActing} onChange={(change) => act(() => backend.changeRun(run.id, change))} />
      ) : null}
    </>
  )
}
