import { memo, useContext, useMemo, useState } from "react"
import { useBackend } from "@/api/follow"
import type { PageRow } from "@/api/schema"
import { BlockSourceContext, type BlockSource } from "@/blocks/source"
import { cx } from "@/ui/cx"
import { Guard } from "@/ui/guard"
import { BranchRow } from "./branch-row"
import { CompactionRow } from "./compaction-row"
import { FailedRow } from "./failed-row"
import { isContinued, Message } from "./message"
import { RowActions } from "./row-actions"
import { AgentRow, ModeRow, NoticeRow, OrphanRow, QueuedRow } from "./small-rows"
import { CurrentContext, useTranscript } from "../transcript-context"
import { TurnRow } from "./turn-row"

/** On a touch screen, the row that was touched last shows its actions. */
const CANNOT_POINT = window.matchMedia("(hover: none)").matches

interface RowProps {
  row: PageRow
  before?: PageRow | undefined
  /** The day that begins with this row. */
  day?: string | null
}

/** A row of a transcript with its actions; if it cannot be rendered, it says so. */
export const RowView = memo(function RowView(props: RowProps) {
  return (
    <Guard of={props.row} fallback={(error, retry) => <FailedRow row={props.row} error={error} onRetry={retry} />}>
      <DrawnRow {...props} />
    </Guard>
  )
})

function DrawnRow({ row, before, day = null }: RowProps) {
  const { name, loadWhole, makeCurrent } = useTranscript()
  const { id: currentId, copiedId } = useContext(CurrentContext)
  const isCurrent = currentId === row.row.id
  const isCopied = copiedId === row.row.id
  const backend = useBackend()
  const source = useMemo<BlockSource>(
    () => ({
      imageAddress: (block) => {
        const place = Object.hasOwn(row.places, block.item) ? row.places[block.item] : undefined
        return place === undefined ? null : backend.imageUrl(name, place, block.nth)
      },
      loadWhole: () => loadWhole(row.row.id),
      sideFile: (file, start) => backend.sideFile(name, file, start),
      sideFileAddress: (file) => backend.sideFileUrl(name, file),
    }),
    [backend, name, row, loadWhole],
  )
  // Most rows are only read: the actions of a row are created when the pointer enters it.
  const [isPointedAt, setPointedAt] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const continued = isContinued(row, before)
  return (
    <BlockSourceContext value={source}>
      {day === null ? null : (
        <p className="day">
          <span>{day}</span>
        </p>
      )}
      {/* Pointing at a row or touching it shows its actions. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions */}
      <article
        id={`row-${row.row.id}`}
        data-row={row.row.id}
        data-type={row.row.type}
        tabIndex={-1}
        className={cx("row", continued && "continued", endsInCall(row) && "goes-on", isCurrent && "current")}
        onClick={() => makeCurrent(row.row.id)}
        onPointerEnter={() => setPointedAt(true)}
        onPointerLeave={() => setPointedAt(false)}
        onFocus={() => setFocused(true)}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setFocused(false)
        }}
      >
        <RowBody row={row} isContinued={continued} />
        {isPointedAt || isFocused || isCopied || (isCurrent && CANNOT_POINT) ? (
          <RowActions row={row} isContinued={continued} isCopied={isCopied} />
        ) : null}
      </article>
    </BlockSourceContext>
  )
}

/** Whether a row ends in a call: the next row then follows with less space. */
function endsInCall(row: PageRow): boolean {
  return row.row.type === "message" && row.row.pieces.at(-1)?.type === "call"
}

const RowBody = memo(function RowBody({ row, isContinued: continued }: { row: PageRow; isContinued: boolean }) {
  const item = row.row
  switch (item.type) {
    case "message":
      return <Message message={item} row={row} isContinued={continued} />
    case "turn":
      return <TurnRow row={item} />
    case "compaction":
      return <CompactionRow row={item} />
    case "queued":
      return <QueuedRow row={item} />
    case "mode":
      return <ModeRow row={item} />
    case "notice":
      return <NoticeRow row={item} />
    case "branch":
      return <BranchRow row={item} />
    case "orphan":
      return <OrphanRow orphan={item} row={row} />
    case "agent":
      return <AgentRow row={item} />
    default:
      item satisfies never
      return null
  }
})
