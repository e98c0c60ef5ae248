import { CircleCheck, CircleX } from "lucide-react"
import type { RunShown } from "@/api/schema"
import { Ago } from "@/ui/time"
import { Words } from "@/ui/words"
import { asSentence, endingInWords } from "./in-words"

/** How an agent ended, and when. */
export function RunEnding({ run }: { run: RunShown }) {
  const isBad = run.is_failure || run.state === "lost"
  const Icon = isBad ? CircleX : CircleCheck
  return (
    <p role="status" className={isBad ? "flex gap-1.5 text-failed" : "flex gap-1.5 text-ink-2"}>
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 flex-1 text-sm break-words">
        {run.state === "lost" ? null : isBad ? <span className="font-medium">The agent failed: </span> : "The agent ended: "}
        <Words text={run.state === "lost" ? asSentence(endingInWords(run)) : endingInWords(run)} />
      </span>
      <Ago iso={run.ended_at} className="shrink-0 text-sm text-ink-3 tabular-nums" />
    </p>
  )
}
