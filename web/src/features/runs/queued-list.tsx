import { Clock } from "lucide-react"
import { seen, seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { tip } from "@/ui/tooltip"

const TIP_CHARS = 600

/** Messages that were sent and that the agent has not started with. */
export function QueuedList({ queued }: { queued: readonly string[] }) {
  if (queued.length === 0) return null
  return (
    <ul aria-label="Queued messages" className="flex max-h-28 flex-col gap-1 overflow-y-auto">
      {queued.map((text, index) => (
        <li
          // oxlint-disable-next-line react/no-array-index-key -- two of them may say the same
          key={index}
          className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-inset px-2 py-1 text-ink-2"
          {...tip(seen(text.slice(0, TIP_CHARS)))}
        >
          <Clock aria-hidden className="size-3.5 shrink-0 text-ink-3" />
          <span className="min-w-0 truncate" dir="auto">
            {seenLine(text) || "picture"}
          </span>
          <Badge tone="accent" className="ml-auto shrink-0">
            queued
          </Badge>
        </li>
      ))}
    </ul>
  )
}
