import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import type { RunShown } from "@/api/schema"
import { useAddStartedRun } from "@/api/use-runs"
import { nameParts } from "@/parts/places"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const NewRunPage = lazy(() => import("@/features/runs/new-run-page"))
const route = getRouteApi("/new")

export function NewRunRoute() {
  const { place } = route.useSearch()
  const onStarted = useGoToRun()
  usePageTitle("Start an agent")
  return (
    <Suspense fallback={<Opening />}>
      <NewRunPage wish={place ?? null} onStarted={onStarted} />
    </Suspense>
  )
}

/** Goes to the conversation of a run that was just started. */
export function useGoToRun(): (run: RunShown) => void {
  const navigate = useNavigate()
  const addRun = useAddStartedRun()
  return (run) => {
    addRun(run)
    void navigate({ to: "/c/$workspace/$agent/$conversation", params: nameParts(run.conversation) })
  }
}

function Opening() {
  return (
    <div role="status" aria-label="Opening" className="mx-auto max-w-3xl px-5 py-8">
      <Skeleton className="h-64" />
    </div>
  )
}
