import { memo, useMemo } from "react"
import type { OutlineMark, PageRow } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { tip } from "@/ui/tooltip"
import { useFirstVisibleRow, type FirstVisibleRow } from "../list/first-visible-row"
import { MARK_NAMES, placeInThread, thinned } from "./outline-marks"

/** The whole thread as a vertical strip: one tick per mark, and the position of the reader. */
export const Minimap = memo(function Minimap({
  marks,
  rows,
  firstVisible,
  onJump,
}: {
  marks: readonly OutlineMark[]
  rows: readonly PageRow[]
  firstVisible: FirstVisibleRow
  onJump: (id: string) => void
}) {
  const ticks = useMemo(() => thinned(marks), [marks])
  return (
    <nav aria-label="Places in the conversation" className="minimap">
      {ticks.map((mark) => (
        <Tick key={mark.id} mark={mark} onJump={onJump} />
      ))}
      <Here marks={marks} rows={rows} firstVisible={firstVisible} />
    </nav>
  )
})

const Tick = memo(function Tick({ mark, onJump }: { mark: OutlineMark; onJump: (id: string) => void }) {
  const words = `${MARK_NAMES[mark.kind]}${mark.text ? `: ${seenLine(mark.text).slice(0, 140)}` : ""}`
  return (
    <button
      type="button"
      // Readers who use a keyboard have the outline, which has the same marks.
      tabIndex={-1}
      data-kind={mark.kind}
      className="minimap-mark"
      style={{ "--at": String(mark.at) }}
      aria-label={words}
      onClick={() => onJump(mark.id)}
      {...tip(words)}
    />
  )
})

function Here({ marks, rows, firstVisible }: { marks: readonly OutlineMark[]; rows: readonly PageRow[]; firstVisible: FirstVisibleRow }) {
  const at = useFirstVisibleRow(firstVisible, (row) => Math.round(placeInThread(marks, rows, row?.key ?? null) * 500) / 500)
  return <span aria-hidden className="minimap-place" style={{ "--at": String(at) }} />
}
