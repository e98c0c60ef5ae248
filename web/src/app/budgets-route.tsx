import { lazy, Suspense } from "react"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const BudgetsPage = lazy(() => import("@/features/approvals/budgets/budgets-page"))

export function BudgetsRoute() {
  usePageTitle("Budgets")
  return (
    <Suspense fallback={<Skeleton className="mx-auto mt-8 h-40 max-w-3xl" />}>
      <BudgetsPage />
    </Suspense>
  )
}
