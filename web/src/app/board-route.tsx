import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useCallback } from "react"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const BoardPage = lazy(() => import("@/features/board/board-page"))
const route = getRouteApi("/board")

export function BoardRoute() {
  const { workspace } = route.useSearch()
  const navigate = route.useNavigate()
  usePageTitle("Board")
  const onWorkspace = useCallback(
    (chosen: string | null) => void navigate({ search: { workspace: chosen ?? undefined }, replace: true }),
    [navigate],
  )
  return (
    <Suspense fallback={<Opening />}>
      <BoardPage workspace={workspace ?? null} onWorkspace={onWorkspace} />
    </Suspense>
  )
}

function Opening() {
  return (
    <div role="status" aria-label="Opening the board" className="grid gap-3 p-4 md:grid-cols-5">
      <Skeleton className="h-40" />
      <Skeleton className="h-40" />
      <Skeleton className="h-40" />
    </div>
  )
}
