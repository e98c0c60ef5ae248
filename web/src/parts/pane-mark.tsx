import { SquareTerminal } from "lucide-react"
import type { Pane } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { tip } from "@/ui/tooltip"

/** A mark for a conversation whose client runs in a pane of tmux: session, window and number of the pane. */
export function PaneMark({ pane }: { pane: Pane }) {
  return (
    <Badge tone="outline" className="max-w-40 shrink-0" {...tip(`Runs in the tmux pane ${seenLine(pane.place)}`)}>
      <SquareTerminal aria-hidden className="size-3 shrink-0" />
      <span className="truncate max-2xl:sr-only">
        <span className="sr-only">tmux pane </span>
        {seenLine(pane.place)}
      </span>
    </Badge>
  )
}
