import { CircleX, Play } from "lucide-react"
import { isLiving } from "@/api/runs"
import type { RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { tip } from "@/ui/tooltip"

const STATES: Record<RunShown["state"], string> = {
  starting: "starting",
  running: "at work",
  waiting: "waits for you",
  idle: "idle",
  ending: "ending",
  ended: "ended",
  lost: "lost",
}

/** States that the status mark of the conversation shows already. */
const SHOWN_BY_STATUS: readonly RunShown["state"][] = ["running", "waiting"]

/**
 * A mark for a conversation whose agent Chorus runs, with the state of the run; of ended runs, only failed ones get a
 * mark.
 */
export function RunMark({ run }: { run: RunShown }) {
  const who = run.agent === null ? "Run by Chorus" : `${seenLine(run.agent)}, run by Chorus`
  if (isLiving(run)) {
    return (
      <Badge tone={run.state === "waiting" ? "waiting" : "accent"} className="shrink-0" {...tip(`${who}: ${STATES[run.state]}`)}>
        <Play aria-hidden className="size-2.5 fill-current" />
        <span className={SHOWN_BY_STATUS.includes(run.state) ? "sr-only" : "max-sm:sr-only"}>{STATES[run.state]}</span>
      </Badge>
    )
  }
  if (!run.is_failure && run.state !== "lost") return null
  return (
    <Badge tone="failed" className="shrink-0" {...tip(`${who}\n${seenLine(run.ending) || STATES[run.state]}`)}>
      <CircleX aria-hidden className="size-3" />
      run failed
    </Badge>
  )
}
