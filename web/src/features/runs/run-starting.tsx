import { CircleX, Hourglass } from "lucide-react"
import { isLiving } from "@/api/runs"
import type { RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { EmptyState } from "@/ui/empty-state"
import { Words } from "@/ui/words"
import { endingInWords } from "./in-words"

/** Stands where the conversation of an agent will be, or would have been. */
export default function RunStarting({ run }: { run: RunShown }) {
  if (!isLiving(run)) {
    return (
      <EmptyState icon={<CircleX className="text-failed" />} title="The agent ended before it said anything">
        <p className="break-words">
          <Words text={endingInWords(run)} />
        </p>
      </EmptyState>
    )
  }
  return (
    <div role="status">
      <EmptyState icon={<Hourglass className="animate-breathe" />} title="Starting">
        <p>
          In <span className="font-mono text-sm break-all">{seenLine(run.folder)}</span>
        </p>
        <p>Its words appear here as soon as there are any.</p>
      </EmptyState>
    </div>
  )
}
