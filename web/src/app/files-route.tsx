import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useCallback } from "react"
import type { FilesPlace } from "@/features/files/place"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"

const FilesPage = lazy(() => import("@/features/files/files-page"))

/** What the address of the page says. */
export interface FilesSearch {
  file?: string
  before?: string
  after?: string
  view?: string
  space?: string
  scope?: string
}

const route = getRouteApi("/c/$workspace/$agent/$conversation/files")

export function FilesRoute() {
  const { workspace, agent, conversation } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const onGo = useCallback((place: FilesPlace) => void navigate({ search: written(place) }), [navigate])
  usePageTitle("Files")
  return (
    <Suspense fallback={<Skeleton className="mx-auto mt-8 h-64 max-w-3xl" />}>
      <FilesPage name={`${workspace}/${agent}/${conversation}`} place={read(search)} onGo={onGo} />
    </Suspense>
  )
}

function read({ file, before, after, view, space, scope }: FilesSearch): FilesPlace {
  return {
    file: file ?? null,
    before: number(before),
    after: number(after),
    view: view === "side" || view === "blame" ? view : "unified",
    ignoresSpace: space === "ignored",
    scope: scope === "workspace" ? "workspace" : "conversation",
  }
}

function written({ file, before, after, view, ignoresSpace, scope }: FilesPlace): FilesSearch {
  return {
    file: file ?? undefined,
    before: before === null ? undefined : String(before),
    after: after === null ? undefined : String(after),
    view: view === "unified" ? undefined : view,
    space: ignoresSpace ? "ignored" : undefined,
    scope: scope === "workspace" ? scope : undefined,
  }
}

function number(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null
}
