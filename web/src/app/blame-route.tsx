import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useCallback } from "react"
import type { BlamePlace } from "@/features/blame/place"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const BlamePage = lazy(() => import("@/features/blame/blame-page"))

/** What the address of the page says. */
export interface BlameSearch {
  file?: string
  rev?: string
  line?: string
}

const route = getRouteApi("/blame/$workspace")

export function BlameRoute() {
  const { workspace } = route.useParams()
  const { file, rev, line } = route.useSearch()
  const navigate = route.useNavigate()
  const onGo = useCallback(
    (place: BlamePlace) =>
      void navigate({
        search: {
          file: place.file || undefined,
          rev: place.revision || undefined,
          line: place.line === null ? undefined : String(place.line),
        },
      }),
    [navigate],
  )
  usePageTitle("Blame")
  const place: BlamePlace = {
    workspace,
    file: file ?? "",
    revision: rev ?? "",
    line: line !== undefined && /^\d{1,7}$/.test(line) ? Number(line) : null,
  }
  return (
    <Suspense fallback={<Skeleton className="mx-auto mt-8 h-64 max-w-3xl" />}>
      <BlamePage place={place} onGo={onGo} />
    </Suspense>
  )
}
