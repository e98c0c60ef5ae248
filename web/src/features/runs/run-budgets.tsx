import { Gauge } from "lucide-react"
import type { RunShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"

const CLASSES = { fine: "text-ink-3", warning: "text-waiting", spent: "text-failed" } as const

/** The limits that apply to a run, and how much of each is used; the one that is nearest to its end comes first. */
export function RunBudgets({ budgets }: { budgets: RunShown["budgets"] }) {
  if (budgets.length === 0) return null
  return (
    <ul aria-label="Budgets" className="flex min-w-0 flex-wrap gap-x-4 gap-y-0.5 text-sm tabular-nums">
      {budgets.map((each) => (
        <li key={`${each.scope} ${each.measure} ${each.words}`} className={`flex min-w-0 gap-1.5 ${CLASSES[each.state]}`}>
          <Gauge aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0 break-words">
            {seenLine(each.words)}
            {each.state === "fine" ? null : each.state === "spent" ? " · used up" : " · nearly used up"}
          </span>
        </li>
      ))}
    </ul>
  )
}
