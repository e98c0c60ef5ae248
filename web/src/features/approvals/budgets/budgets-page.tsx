import { useState } from "react"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import { ListFrame, Warnings } from "../list-frame"
import { useThisBrowser } from "../use-this-browser"
import { BudgetList } from "./budget-list"
import { SetBudget } from "./set-budget"
import { useBudgets } from "./use-budgets"

/** How much runs, conversations, workspaces and days may use, and how much of that is used. */
export default function BudgetsPage() {
  const { query, set, remove } = useBudgets()
  const { standing } = useThisBrowser()
  const [text, setText] = useState("")
  const { data: found, error } = query
  const isApprover = standing === "approver"
  if (found === undefined && error !== null) {
    return <ErrorState title="The budgets cannot be read" message={error.message} onRetry={() => void query.refetch()} />
  }
  return (
    <ListFrame title="Budgets" intro="At 80 % of a limit you are told. At 100 %, a run of Chorus is interrupted, then stopped.">
      {found === undefined ? null : (
        <Warnings whole="The file of the budgets is not as Chorus left it" trouble={found.trouble} entry="No effect" rejected={found.rejected} />
      )}
      <SetBudget text={text} onText={setText} onSet={isApprover ? set : null} />
      <section aria-labelledby="budgets-title" className="flex flex-col gap-2">
        <h2 id="budgets-title" className="text-sm font-semibold text-ink-2">
          What is limited, and how much is used
        </h2>
        {found === undefined ? (
          <Skeleton className="h-16" />
        ) : (
          <BudgetList
            budgets={found.budgets}
            onChange={(budget) => {
              setText(budget.text)
              document.querySelector(".approvals-page")?.scrollTo({ top: 0 })
            }}
            onRemove={isApprover ? remove : null}
          />
        )}
      </section>
    </ListFrame>
  )
}
