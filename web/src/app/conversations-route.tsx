import { getRouteApi } from "@tanstack/react-router"
import { useCallback, useEffect } from "react"
import { useStatus } from "@/api/use-status"
import { ConversationsPage } from "@/features/conversations/conversations-page"
import { rememberListing } from "@/features/conversations/listing"
import { nameOf, type Sort, sortNamed } from "@/features/conversations/sort"
import { FirstRun } from "@/features/first-run/first-run"
import { WelcomeCard } from "@/features/first-run/welcome-card"
import { usePageTitle } from "@/ui/page-title"
import { useHelp } from "./help-context"

const route = getRouteApi("/")

export function ConversationsRoute() {
  const { q = "", sort: by = "" } = route.useSearch()
  const sort = sortNamed(by)
  const navigate = route.useNavigate()
  const openHelp = useHelp()
  const status = useStatus()
  usePageTitle("")

  useEffect(() => rememberListing({ q, sort }), [q, sort])
  const onQuery = useCallback(
    (text: string) => void navigate({ search: (before) => ({ ...before, q: text === "" ? undefined : text }), replace: true }),
    [navigate],
  )
  const onSort = useCallback(
    (next: Sort) => void navigate({ search: (before) => ({ ...before, sort: nameOf(next) }), replace: true }),
    [navigate],
  )
  return (
    <ConversationsPage
      q={q}
      sort={sort}
      onQuery={onQuery}
      onSort={onSort}
      onHelp={() => openHelp("queries")}
      nothingYet={<FirstRun status={status.data} />}
      notice={<WelcomeCard status={status.data} />}
      total={status.data?.conversations ?? null}
    />
  )
}
