import { Link } from "@tanstack/react-router"
import { ArrowLeft } from "lucide-react"
import { useState } from "react"
import type { Budgets } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import "../approvals.css"
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
    <div className="approvals-page">
      <div className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-5 md:px-5">
        <header className="flex flex-col gap-1">
          <Link to="/approvals" className="inline-flex items-center gap-1 self-start text-sm text-ink-2 hover:text-ink">
            <ArrowLeft aria-hidden className="size-4" />
            Approvals
          </Link>
          <h1 className="text-lg font-semibold">Budgets</h1>
          <p className="text-ink-2">At 80 % of a limit you are told. At 100 %, a run of Chorus is interrupted, then stopped.</p>
        </header>
        {found === undefined ? null : <Warnings found={found} />}
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
      </div>
    </div>
  )
}

function Warnings({ found }: { found: Budgets }) {
  if (found.trouble === null && found.rejected.length === 0) return null
  return (
    <div role="alert" className="flex flex-col gap-1 rounded-lg bg-failed-soft px-3 py-2 text-failed">
      {found.trouble === null ? null : <p className="break-words">The file of the budgets is not as Chorus left it: {seenLine(found.trouble)}</p>}
      {found.rejected.map((reason) => (
        <p key={reason} className="break-words">
          No effect: {seenLine(reason)}
        </p>
      ))}
    </div>
  )
}
