import { Inbox } from "lucide-react"
import type { Ref } from "react"
import { EmptyState } from "@/ui/empty-state"
import { PanelGuard } from "@/ui/panel-guard"
import { RowsSkeleton } from "../transcript-skeleton"
import type { FirstVisibleRow } from "./first-visible-row"
import { MessageList, type MessageListHandle } from "./message-list"
import { Unreadable } from "./unreadable"
import type { Rows } from "./use-rows"

/** The list of a thread's rows, or what is shown in its place: while it loads, if it fails, and if it is empty. */
export function ThreadRows({
  rows,
  isInternal,
  isAtWork,
  isPlaceNamed,
  firstVisible,
  onEnd,
  ref,
}: {
  rows: Rows
  /** Whether internal records are shown. */
  isInternal: boolean
  isAtWork: boolean
  /** Whether the address names a row: it may not exist. */
  isPlaceNamed: boolean
  firstVisible: FirstVisibleRow
  onEnd: () => void
  ref: Ref<MessageListHandle>
}) {
  const { window: shown, trouble } = rows
  if (rows.isOpening) return <RowsSkeleton />
  if (trouble !== null && shown.rows.length === 0) return <Unreadable trouble={trouble} onEnd={isPlaceNamed ? onEnd : null} />
  if (shown.rows.length === 0) {
    return (
      <EmptyState icon={<Inbox />} title="No messages yet">
        <p>Messages appear here as soon as the client writes them.</p>
        {isInternal ? null : <p>Internal records may be there already: press I.</p>}
      </EmptyState>
    )
  }
  return (
    <PanelGuard name="The list of messages" of={shown}>
      <MessageList
        key={shown.place}
        ref={ref}
        window={shown}
        trouble={trouble}
        isAtWork={isAtWork}
        firstVisible={firstVisible}
        onBefore={rows.loadBefore}
        onAfter={rows.loadAfter}
        onSeenEnd={rows.seeEnd}
        onEnd={onEnd}
      />
    </PanelGuard>
  )
}
