import { lazy, Suspense } from "react"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const ApprovalsPage = lazy(() => import("@/features/approvals/approvals-page"))

export function ApprovalsRoute() {
  usePageTitle("Approvals")
  return (
    <Suspense fallback={<Opening />}>
      <ApprovalsPage />
    </Suspense>
  )
}

function Opening() {
  return (
    <div role="status" aria-label="Opening the approvals" className="mx-auto max-w-3xl px-5 py-8">
      <Skeleton className="h-40" />
    </div>
  )
}
