import { FoldVertical } from "lucide-react"
import type { CompactionRow as Row } from "@/api/schema"
import { count } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { tip } from "@/ui/tooltip"
import { Moment } from "./moment"

/** The place where the client replaced the earlier messages by a summary for the model. */
export function CompactionRow({ row }: { row: Row }) {
  const sizes = [row.pre_tokens, row.post_tokens].filter((size) => size !== null).map(count)
  return (
    <div className="divider compaction">
      <span className="divider-facts" {...tip("Before this, the model knows only a summary. Here you still see all of it.")}>
        <FoldVertical aria-hidden />
        <span>compacted</span>
        {row.trigger ? <span>{seenLine(row.trigger)}</span> : null}
        {sizes.length > 0 ? <span>{sizes.join(" → ")} tokens</span> : null}
        <Moment iso={row.time} />
      </span>
    </div>
  )
}
