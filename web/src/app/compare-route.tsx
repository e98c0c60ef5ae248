import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { EmptyState } from "@/ui/empty-state"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const ComparePage = lazy(() => import("@/features/compare/compare-page"))
const CompareChoice = lazy(() => import("@/features/compare/compare-choice"))

const route = getRouteApi("/compare")

export function CompareRoute() {
  const { a, b } = route.useSearch()
  usePageTitle("Compare")
  return (
    <Suspense fallback={<Skeleton className="mx-auto mt-8 h-64 max-w-5xl" />}>
      {a === undefined ? (
        <EmptyState title="No conversation was chosen">
          <p>Open a conversation and choose "Compare with …" in its menu.</p>
        </EmptyState>
      ) : b === undefined ? (
        <CompareChoice a={a} />
      ) : (
        <ComparePage key={`${a}\n${b}`} a={a} b={b} />
      )}
    </Suspense>
  )
}
