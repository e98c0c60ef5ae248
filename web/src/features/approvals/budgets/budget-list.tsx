import { useState } from "react"
import type { BudgetShown } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { Badge } from "@/ui/badge"
import { Button } from "@/ui/button"
import { Ago } from "@/ui/time"
import { useAttempt } from "@/ui/use-attempt"
import { Removing } from "../list-frame"
import { Amounts } from "./amounts"
import { aboutOf, isException, limitsOf } from "./in-words"

interface BudgetListProps {
  budgets: readonly BudgetShown[]
  onChange: (budget: BudgetShown) => void
  /** null if this browser may not remove one. */
  onRemove: ((budget: BudgetShown) => Promise<void>) | null
}

/** The budgets that apply, with what is used of each. */
export function BudgetList({ budgets, onChange, onRemove }: BudgetListProps) {
  if (budgets.length === 0) return <p className="text-ink-2">There are no budgets yet. Nothing is limited.</p>
  return (
    <ul className="approvals-list">
      {budgets.map((budget) => (
        <Line
          key={`${budget.id} ${budget.at}`}
          budget={budget}
          onChange={() => onChange(budget)}
          onRemove={onRemove === null ? null : () => onRemove(budget)}
        />
      ))}
    </ul>
  )
}

function Line({ budget, onChange, onRemove }: { budget: BudgetShown; onChange: () => void; onRemove: (() => Promise<void>) | null }) {
  const [isAsking, setAsking] = useState(false)
  const { attempt, isBusy, trouble } = useAttempt()
  return (
    <li className="flex flex-col gap-1.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        {isException(budget.text) ? <Badge tone="waiting">exception</Badge> : null}
        <span className="min-w-0 font-medium wrap-anywhere">{seenLine(aboutOf(budget.text))}</span>
        {limitsOf(budget.text).map((limit) => (
          <code key={limit} className="font-mono text-sm">
            {limit}
          </code>
        ))}
        <span className="ml-auto flex shrink-0 items-center gap-2 text-sm text-ink-3">
          {budget.by === null ? null : <span className="max-w-32 truncate">{seenLine(budget.by)}</span>}
          <Ago iso={budget.at} className="tabular-nums" />
          <Button size="sm" aria-label={`Change ${budget.text}`} onClick={onChange}>
            Change
          </Button>
          {onRemove === null || isAsking ? null : (
            <Button size="sm" aria-label={`Remove ${budget.text}`} onClick={() => setAsking(true)}>
              Remove
            </Button>
          )}
        </span>
      </div>
      {budget.only_restricts ? (
        <p className="text-sm text-interrupted">The approver who signed it was removed: it still limits, and makes no exceptions.</p>
      ) : null}
      {isAsking && onRemove !== null ? (
        <Removing
          words="Running agents are no longer limited by it."
          isBusy={isBusy}
          onRemove={() => void attempt(onRemove)}
          onLeave={() => setAsking(false)}
        />
      ) : null}
      {trouble === null ? null : (
        <p role="alert" className="text-sm break-words text-failed">
          {trouble}
        </p>
      )}
      <Amounts amounts={budget.amounts} more={budget.more} />
    </li>
  )
}
