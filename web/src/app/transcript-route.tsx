import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useCallback, useState } from "react"
import { useConversation } from "@/api/use-conversation"
import { useRunOf } from "@/api/use-runs"
import { seenLine } from "@/blocks/text/seen"
import { usePageTitle } from "@/ui/page-title"
import { Skeleton } from "@/ui/skeleton"
import { Beside } from "./beside"
import { ComposerHere, loadComposer } from "./composer-here"
import { WaitingHere } from "./waiting-here"

const loading = () => import("@/features/transcript/transcript-page")
const TranscriptPage = lazy(loading)
const RunStarting = lazy(() => import("@/features/runs/run-starting"))

/** Loads this part of the application early, while the login is checked, because the address leads to a conversation. */
export function readAhead(path: string): void {
  if (path.startsWith("/c/")) void Promise.all([loading(), loadComposer()]).catch(() => undefined)
}

const route = getRouteApi("/c/$workspace/$agent/$conversation")
const NO_BRANCHES: readonly string[] = []
const NO_WORDS: readonly string[] = []

export function TranscriptRoute() {
  const { workspace, agent, conversation } = route.useParams()
  const { thread, branch, at, word } = route.useSearch()
  const navigate = route.useNavigate()
  const name = `${workspace}/${agent}/${conversation}`

  const onGo = useCallback(
    (place: { thread?: string; branch?: string[]; at?: string; word?: string[] }, isCorrection = false) =>
      // The marked words belong to the hit that was opened: at another place they mark nothing.
      void navigate({ search: (before) => ({ ...before, ...("at" in place ? { word: undefined } : {}), ...place }), replace: isCorrection }),
    [navigate],
  )
  // The page itself loads it; here it is only used for the title of the window.
  const detail = useConversation(name, { isEnabled: false })
  const run = useRunOf(name)
  const [forking, setForking] = useState<{ of: string; at: string; words: string } | null>(null)
  const fork = forking?.of === name ? forking : null
  const onFork = useCallback((at: string, words: string) => setForking({ of: name, at, words }), [name])
  // The server reports when the conversation exists: a request before that would find nothing.
  const awaited = run !== null && run.conversation === name && !run.is_kept ? run : null
  const below = (
    <>
      <WaitingHere conversation={name} />
      <ComposerHere name={name} thread={thread ?? ""} run={run} fork={fork} onForkEnd={() => setForking(null)} />
    </>
  )
  usePageTitle(seenLine(detail.data?.summary.title ?? awaited?.title ?? "") || "Conversation")

  return (
    <Beside current={name}>
      <Suspense fallback={<Opening />}>
      <TranscriptPage
        key={name}
        name={name}
        thread={thread ?? ""}
        branches={branch ?? NO_BRANCHES}
        at={at ?? null}
        words={word ?? NO_WORDS}
        onGo={onGo}
        waiting={below}
        onFork={onFork}
        absent={awaited === null ? null : <RunStarting run={awaited} />}
      />
    </Suspense>
    </Beside>
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
