import { getRouteApi } from "@tanstack/react-router"
import { useCallback } from "react"
import { SearchPage } from "@/features/search/search-page"
import { usePageTitle } from "@/ui/page-title"
import { useHelp } from "./help-context"

const route = getRouteApi("/search")

export function SearchRoute() {
  const { q = "", order } = route.useSearch()
  const navigate = route.useNavigate()
  const openHelp = useHelp()
  usePageTitle(q === "" ? "Search" : `${q} · Search`)

  const onQuery = useCallback(
    (text: string) => void navigate({ search: (before) => ({ ...before, q: text }), replace: true }),
    [navigate],
  )
  return (
    <SearchPage
      q={q}
      isRanked={order === "rank"}
      onQuery={onQuery}
      onRanked={(isRanked) =>
        void navigate({ search: (before) => ({ ...before, order: isRanked ? "rank" : undefined }), replace: true })
      }
      onHelp={() => openHelp("queries")}
    />
  )
}
