import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useCallback } from "react"
import { useConversation } from "@/api/use-conversation"
import { seenLine } from "@/blocks/text/seen"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"
import { WaitingHere } from "./waiting-here"

const loading = () => import("@/features/transcript/transcript-page")
const TranscriptPage = lazy(loading)

/** Who comes for a conversation needs this part: it is fetched while the server is asked who they are. */
export function readAhead(path: string): void {
  if (path.startsWith("/c/")) void loading().catch(() => undefined)
}

const route = getRouteApi("/c/$workspace/$agent/$conversation")
const NO_BRANCHES: readonly string[] = []

export function TranscriptRoute() {
  const { workspace, agent, conversation } = route.useParams()
  const { thread, branch, at } = route.useSearch()
  const navigate = route.useNavigate()
  const name = `${workspace}/${agent}/${conversation}`

  const onGo = useCallback(
    (place: { thread?: string; branch?: string[]; at?: string }, isCorrection = false) =>
      void navigate({ search: (before) => ({ ...before, ...place }), replace: isCorrection }),
    [navigate],
  )
  // The page itself asks for it; here it only names the window.
  const detail = useConversation(name, { isEnabled: false })
  usePageTitle(seenLine(detail.data?.summary.title ?? "") || "Conversation")

  return (
    <Suspense fallback={<Opening />}>
      <TranscriptPage
        key={name}
        name={name}
        thread={thread ?? ""}
        branches={branch ?? NO_BRANCHES}
        at={at ?? null}
        onGo={onGo}
        waiting={<WaitingHere conversation={name} />}
      />
    </Suspense>
  )
}

function Opening() {
  return (
    <div role="status" aria-label="Opening the conversation" className="mx-auto flex max-w-3xl flex-col gap-4 px-5 py-8">
      <Skeleton className="h-5 w-1/2" />
      <Skeleton className="h-24" />
      <Skeleton className="h-40" />
      <Skeleton className="h-24" />
    </div>
  )
}
