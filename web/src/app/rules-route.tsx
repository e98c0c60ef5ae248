import { lazy, Suspense } from "react"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const RulesPage = lazy(() => import("@/features/approvals/rules/rules-page"))

export function RulesRoute() {
  usePageTitle("Rules")
  return (
    <Suspense fallback={<Skeleton className="mx-auto mt-8 h-40 max-w-3xl" />}>
      <RulesPage />
    </Suspense>
  )
}
