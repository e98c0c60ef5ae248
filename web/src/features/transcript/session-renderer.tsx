import { FileQuestion } from "lucide-react"
import { type ReactNode, useCallback, useEffect, useState } from "react"
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
import { isMoment } from "./replay/address"
import { PlayerBar } from "./replay/player-bar"
import { ReplayContext } from "./replay/replay-context"
import { usePlayer } from "./replay/use-player"
import type { PutShowing, Showing } from "./showing"
import { ThreadView } from "./thread-view"
import { useLastSign } from "./use-last-sign"
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
    isReplay: isMoment(place.at),
    isState: false,
  }))
  const putShowing = useCallback<PutShowing>((change) => setShowing((before) => ({ ...before, ...change })), [])
  const detail = useConversation(name, { isEnabled: absent === null })
  useLiveConversation(name)
  const player = usePlayer(name, showing.isReplay && absent === null, place.at, onGo)
  const isLive = useLastSign(name, detail.data ?? null) !== null
  // A moment in the address is for the player. The rows begin at the end.
  const rowPlace = isMoment(place.at) ? { ...place, at: null } : place
  const isMomentNamed = isMoment(place.at)
  const onShowing = useCallback<PutShowing>(
    (change) => {
      const isClosing = change.isReplay === false
      putShowing(isClosing ? { ...change, isState: false } : change)
      if (isClosing && isMomentNamed) onGo({ at: undefined }, true)
    },
    [putShowing, isMomentNamed, onGo],
  )
  // A link to a moment opens the player.
  useEffect(() => {
    if (isMoment(place.at)) putShowing({ isReplay: true })
  }, [place.at, putShowing])

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
          <ReplayContext value={player}>
            <ThreadView
              key={view}
              name={name}
              detail={detail.data ?? null}
              place={rowPlace}
              onGo={onGo}
              showing={showing}
              onShowing={onShowing}
              onFork={onFork}
            />
          </ReplayContext>
        </FoldsContext>
      )}
      <div className="transcript-below">
        {player === null ? null : (
          <PanelGuard name="The player" of={player}>
            <PlayerBar
              player={player}
              isLive={isLive}
              isState={showing.isState}
              onState={() => putShowing({ isState: !showing.isState, isPanel: false })}
              onClose={() => onShowing({ isReplay: false })}
            />
          </PanelGuard>
        )}
        <PanelGuard name="The part below the messages" of={waiting}>
          {waiting}
        </PanelGuard>
      </div>
    </div>
  )
}
