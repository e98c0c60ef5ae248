import { CircleCheck, FoldVertical, Map as MapIcon, MessageSquare, OctagonX, type LucideIcon } from "lucide-react"
import { memo, useEffect, useMemo, useRef } from "react"
import type { OutlineMark } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import type { Anchor } from "@/ui/list/anchor"
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list"
import { shortDaysOf } from "../list/days"
import { Moment } from "../rows/moment"
import { currentMark, MARK_NAMES } from "./outline-marks"
import { useFirstVisibleRow, type FirstVisibleRow } from "../list/first-visible-row"

const ICONS: Record<OutlineMark["kind"], LucideIcon> = {
  prompt: MessageSquare,
  turn: CircleCheck,
  error: OctagonX,
  compaction: FoldVertical,
  plan: MapIcon,
}

const ENTRY_PX = 44

/** The list of places to jump to. */
export const Outline = memo(function Outline({
  marks,
  firstVisible,
  onJump,
}: {
  marks: readonly OutlineMark[]
  firstVisible: FirstVisibleRow
  onJump: (id: string) => void
}) {
  const list = useRef<VirtualListHandle>(null)
  const shown = useMemo(() => marks.filter((mark) => mark.kind !== "turn"), [marks])
  const current = useFirstVisibleRow(firstVisible, (row) => currentMark(shown, row?.key ?? null))

  const days = useMemo(() => shortDaysOf(shown.map((mark) => mark.time)), [shown])
  // An item may have several marks.
  const keys = useMemo(() => shown.map((mark, index) => `${index} ${mark.id}`), [shown])

  useEffect(() => {
    if (current >= 0) list.current?.reveal(keys[current] ?? "")
  }, [current, keys])

  if (shown.length === 0) return <p className="p-3 text-ink-3">Nothing to jump to yet.</p>
  return (
    <VirtualList
      ref={list}
      className="outline-list"
      label="Places"
      keys={keys}
      row={(index) => {
        const mark = shown[index]
        return mark && <Entry mark={mark} day={days[index] ?? null} isCurrent={index === current} onJump={onJump} />
      }}
      estimate={ENTRY_PX}
      begin={begin(keys, current)}
    />
  )
})

function begin(keys: readonly string[], current: number): Anchor {
  const key = keys[current - 4]
  return key === undefined ? "start" : { key, y: 0 }
}

const Entry = memo(function Entry({
  mark,
  day,
  isCurrent,
  onJump,
}: {
  mark: OutlineMark
  /** The day of the mark, if the marks have several days. */
  day: string | null
  isCurrent: boolean
  onJump: (id: string) => void
}) {
  const Icon = ICONS[mark.kind]
  return (
    <button
      type="button"
      data-kind={mark.kind}
      aria-current={isCurrent ? "location" : undefined}
      onClick={() => onJump(mark.id)}
    >
      <Icon aria-hidden />
      <span className="sr-only">{mark.kind === "compaction" ? "" : `${MARK_NAMES[mark.kind]}: `}</span>
      <span className="outline-text">{wordsOf(mark)}</span>
      <Moment iso={mark.time} day={day} className="outline-time" />
    </button>
  )
})

function wordsOf(mark: OutlineMark): string {
  const text = seenLine(mark.text)
  if (mark.kind === "compaction") return text ? `Compacted · ${text}` : "Compacted"
  return text || MARK_NAMES[mark.kind]
}
