import { getRouteApi } from "@tanstack/react-router"
import { useCallback } from "react"
import { useStatus } from "@/api/use-status"
import { ConversationsPage } from "@/features/conversations/conversations-page"
import { FirstRun } from "@/features/first-run/first-run"
import { WelcomeCard } from "@/features/first-run/welcome-card"
import { usePageTitle } from "@/ui/page-title"
import { useHelp } from "./help-context"

const route = getRouteApi("/")

export function ConversationsRoute() {
  const { q = "" } = route.useSearch()
  const navigate = route.useNavigate()
  const openHelp = useHelp()
  const status = useStatus()
  usePageTitle("")

  const onQuery = useCallback((text: string) => void navigate({ search: { q: text }, replace: true }), [navigate])
  return (
    <ConversationsPage
      q={q}
      onQuery={onQuery}
      onHelp={() => openHelp("queries")}
      nothingYet={<FirstRun status={status.data} />}
      notice={<WelcomeCard status={status.data} />}
      total={status.data?.conversations ?? null}
    />
  )
}
