import { CircleDot, Hand, Hourglass, LoaderCircle, OctagonPause, type LucideIcon } from "lucide-react"
import type { RunShown } from "@/api/schema"
import { Button } from "@/ui/button"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"
import { isBusy, stateInWords } from "./in-words"
import { StopButton } from "./stop-button"

const LOOKS: Record<RunShown["state"], { icon: LucideIcon; colour: string }> = {
  starting: { icon: Hourglass, colour: "text-ink-2" },
  running: { icon: LoaderCircle, colour: "text-running" },
  waiting: { icon: Hand, colour: "text-waiting" },
  idle: { icon: CircleDot, colour: "text-ink-2" },
  ending: { icon: Hourglass, colour: "text-ink-2" },
  ended: { icon: CircleDot, colour: "text-ink-2" },
  lost: { icon: CircleDot, colour: "text-failed" },
}

/** The state of an agent, with buttons to interrupt its turn and to stop it. */
export function RunBar({
  run,
  isActing,
  onWaiting,
  onInterrupt,
  onStop,
}: {
  run: RunShown
  isActing: boolean
  /** Goes to what it waits for. */
  onWaiting: () => void
  onInterrupt: () => void
  onStop: () => void
}) {
  const { icon: Icon, colour } = LOOKS[run.state]
  const words = stateInWords(run.state)
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-1.5 gap-y-1">
      <p role="status" className={cx("mr-auto flex items-center gap-1.5 text-sm font-medium", colour)}>
        <Icon aria-hidden className={cx("size-3.5 shrink-0", run.state === "running" && "motion-safe:animate-spin")} />
        {run.state === "waiting" ? (
          <button type="button" className="underline decoration-current/30 underline-offset-2 hover:decoration-current" onClick={onWaiting}>
            {words}
          </button>
        ) : (
          words
        )}
      </p>
      {isBusy(run.state) ? (
        <Button size="sm" kind="quiet" disabled={isActing} onClick={onInterrupt} {...tip("Ends the turn", "Esc")}>
          <OctagonPause aria-hidden />
          Interrupt
        </Button>
      ) : null}
      <StopButton isDisabled={isActing || run.state === "ending"} onStop={onStop} />
    </div>
  )
}
