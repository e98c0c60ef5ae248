import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useCallback } from "react"
import type { ChangesPlace } from "@/features/changes/place"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const ChangesPage = lazy(() => import("@/features/changes/changes-page"))

/** What the address of the page says. */
export interface ChangesSearch {
  view?: string
  by?: string
}

const route = getRouteApi("/c/$workspace/$agent/$conversation/changes")

export function ChangesRoute() {
  const { workspace, agent, conversation } = route.useParams()
  const { view, by } = route.useSearch()
  const navigate = route.useNavigate()
  const onGo = useCallback(
    (place: ChangesPlace) =>
      void navigate({
        search: { view: place.view === "side" ? "side" : undefined, by: place.by === "file" ? "file" : undefined },
        replace: true,
      }),
    [navigate],
  )
  usePageTitle("Changes")
  const place: ChangesPlace = { view: view === "side" ? "side" : "unified", by: by === "file" ? "file" : "turn" }
  return (
    <Suspense fallback={<Skeleton className="mx-auto mt-8 h-64 max-w-3xl" />}>
      <ChangesPage name={`${workspace}/${agent}/${conversation}`} place={place} onGo={onGo} />
    </Suspense>
  )
}
