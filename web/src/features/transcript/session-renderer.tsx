import { FileQuestion } from "lucide-react"
import { type ReactNode, useCallback, useState } from "react"
import { isProblem } from "@/api/backend"
import { useConversation, useLiveConversation } from "@/api/use-conversation"
import { Folds, FoldsContext } from "@/blocks/folds"
import { PlaceLink } from "@/parts/place-link"
import { buttonLook } from "@/ui/button"
import { EmptyState } from "@/ui/empty-state"
import { preferred } from "@/ui/preferences"
import { ErrorState } from "@/ui/error-state"
import { PanelGuard } from "@/ui/panel-guard"
import type { OnFork, OnGo, Place } from "./place"
import type { PutShowing, Showing } from "./showing"
import { ThreadView } from "./thread-view"
import "./transcript.css"

/** A conversation with its header, its rows, and the panels around them. */
export function SessionRenderer({
  name,
  place,
  onGo,
  waiting,
  absent,
  onFork,
}: {
  name: string
  place: Place
  onGo: OnGo
  waiting: ReactNode
  absent: ReactNode
  onFork: OnFork
}) {
  const [folds] = useState(() => {
    const made = new Folds()
    if (preferred("thinking")) made.putAll("thinking", true)
    return made
  })
  const [showing, setShowing] = useState<Showing>(() => ({
    isInternal: preferred("internal"),
    isWrapped: false,
    isOutline: window.matchMedia("(min-width: 1180px)").matches,
    isPanel: false,
  }))
  const putShowing = useCallback<PutShowing>((change) => setShowing((before) => ({ ...before, ...change })), [])
  const detail = useConversation(name, { isEnabled: absent === null })
  useLiveConversation(name)

  const view = `${place.thread}\n${place.branch.join("\n")}`

  const isAwaited = detail.data === undefined && absent !== null
  if (detail.data === undefined && !isAwaited && detail.error !== null) {
    if (isProblem(detail.error, "not_found")) {
      return (
        <EmptyState
          icon={<FileQuestion />}
          title="This conversation is not here"
          actions={<PlaceLink href="/" className={buttonLook()}>Show all conversations</PlaceLink>}
        >
          <p>
            Chorus has no conversation with this name. It may have been deleted, the link may come from another machine,
            or its address may have lost a part on the way.
          </p>
        </EmptyState>
      )
    }
    return (
      <ErrorState title="The conversation cannot be read" message={detail.error.message} onRetry={() => void detail.refetch()} />
    )
  }
  // The part below the messages stays mounted in all these states, so that a text that is being typed there is not
  // lost.
  return (
    <div className="transcript-place">
      {isAwaited ? (
        <div className="transcript-absent" role="region" aria-label="Conversation" tabIndex={0}>
          {absent}
        </div>
      ) : (
        <FoldsContext value={folds}>
          <ThreadView
            key={view}
            name={name}
            detail={detail.data ?? null}
            place={place}
            onGo={onGo}
            showing={showing}
            onShowing={putShowing}
            onFork={onFork}
          />
        </FoldsContext>
      )}
      <div className="transcript-below">
        <PanelGuard name="The part below the messages" of={waiting}>
          {waiting}
        </PanelGuard>
      </div>
    </div>
  )
}
