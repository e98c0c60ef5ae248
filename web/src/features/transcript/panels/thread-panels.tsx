import { useCallback } from "react"
import type { ConversationDetail, OutlineMark } from "@/api/schema"
import { useIsWide } from "@/parts/wide"
import { PanelGuard } from "@/ui/panel-guard"
import type { FirstVisibleRow } from "../list/first-visible-row"
import type { Transcript } from "../transcript-context"
import { Outline } from "./outline"
import { SessionPanel } from "./session-panel"
import { OUTLINE_MIN_PX, Side } from "./side-sheet"

/** The outline to the left of the rows. On a narrow screen it covers them, so a jump closes it. */
export function OutlineSide({
  marks,
  firstVisible,
  onJump,
  onClose,
}: {
  marks: readonly OutlineMark[]
  firstVisible: FirstVisibleRow
  onJump: (id: string) => void
  onClose: () => void
}) {
  const isColumn = useIsWide(OUTLINE_MIN_PX)
  const jump = useCallback(
    (id: string) => {
      if (!isColumn) onClose()
      onJump(id)
    },
    [isColumn, onClose, onJump],
  )
  return (
    <Side title="Outline" side="left" onClose={onClose}>
      <PanelGuard name="The outline" of={marks}>
        <Outline marks={marks} firstVisible={firstVisible} onJump={jump} />
      </PanelGuard>
    </Side>
  )
}

/** The facts of the session to the right of the rows. */
export function SessionSide({
  detail,
  thread,
  onThread,
  onClose,
}: {
  detail: ConversationDetail
  thread: string
  onThread: Transcript["openThread"]
  onClose: () => void
}) {
  return (
    <Side title="Session" side="right" onClose={onClose}>
      <PanelGuard name="The session panel" of={detail}>
        <SessionPanel detail={detail} thread={thread} onThread={onThread} />
      </PanelGuard>
    </Side>
  )
}
