import { GitBranch } from "lucide-react"
import type { BranchRow as Row } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { cx } from "@/ui/cx"
import { instant } from "@/ui/when"
import { Moment } from "./moment"
import { useTranscript } from "../transcript-context"

/** A message with several continuations: says which one is shown, and links to the others. */
export function BranchRow({ row }: { row: Row }) {
  const { branches, chosen, chooseBranch } = useTranscript()
  const point = branches.find((each) => each.at === row.at)
  const said = row.is_abandoned ? "a branch that was left" : "the conversation goes on"
  const shown = point?.heads.find((head) => chosen.includes(head.id)) ?? point?.heads.find((head) => head.is_active)
  return (
    <div className="branch">
      <p className="line-row">
        <GitBranch aria-hidden />
        <span className="min-w-0 break-words">
          {point ? `${point.heads.length} continuations` : said}
          {row.words ? `, after “${seenLine(row.words)}”` : ""}
        </span>
      </p>
      {point ? (
        <div role="group" aria-label="Continuations" className="branch-heads">
          {point.heads.map((head, index) => (
            <button
              key={head.id}
              type="button"
              aria-pressed={head === shown}
              className={cx("branch-head", head === shown && "shown")}
              onClick={() => chooseBranch(point, head.id)}
            >
              <span className="tabular-nums text-ink-3">{index + 1}</span>
              <span className="min-w-0 truncate">{seenLine(head.words) || "(no words)"}</span>
              {head.is_active ? <span className="branch-active">active</span> : null}
              {instant(head.time) === null ? null : <Moment iso={head.time} className="text-ink-3" />}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  )
}
