import { CircleCheck, FoldVertical, Map as MapIcon, MessageSquare, OctagonX, type LucideIcon } from "lucide-react"
import { memo, useEffect, useMemo, useRef } from "react"
import type { OutlineMark, PageRow } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import type { Anchor } from "@/ui/list/anchor"
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list"
import { tip } from "@/ui/tooltip"
import { shortDaysOf } from "../list/days"
import { Moment } from "../rows/moment"
import { currentMark, placeInThread, thinned } from "./outline-marks"
import { useSighted, type Sighting } from "../list/sighting"

const ICONS: Record<OutlineMark["kind"], LucideIcon> = {
  prompt: MessageSquare,
  turn: CircleCheck,
  error: OctagonX,
  compaction: FoldVertical,
  plan: MapIcon,
}

const NAMES: Record<OutlineMark["kind"], string> = {
  prompt: "Prompt",
  turn: "Turn ended",
  error: "Error",
  compaction: "Compacted",
  plan: "Plan",
}

const ENTRY_PX = 44

/** The places to jump to, in words. */
export const Outline = memo(function Outline({
  marks,
  sighting,
  onJump,
}: {
  marks: readonly OutlineMark[]
  sighting: Sighting
  onJump: (id: string) => void
}) {
  const list = useRef<VirtualListHandle>(null)
  const shown = useMemo(() => marks.filter((mark) => mark.kind !== "turn"), [marks])
  const current = useSighted(sighting, (row) => currentMark(shown, row?.key ?? null))

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
  /** Its day, where the places are of several. */
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
      <span className="sr-only">{mark.kind === "compaction" ? "" : `${NAMES[mark.kind]}: `}</span>
      <span className="outline-text">{wordsOf(mark)}</span>
      <Moment iso={mark.time} day={day} className="outline-time" />
    </button>
  )
})

function wordsOf(mark: OutlineMark): string {
  const text = seenLine(mark.text)
  if (mark.kind === "compaction") return text ? `Compacted · ${text}` : "Compacted"
  return text || NAMES[mark.kind]
}

/** The whole thread as a strip: a tick per mark, and where the reader is. */
export const Minimap = memo(function Minimap({
  marks,
  rows,
  sighting,
  onJump,
}: {
  marks: readonly OutlineMark[]
  rows: readonly PageRow[]
  sighting: Sighting
  onJump: (id: string) => void
}) {
  const ticks = useMemo(() => thinned(marks), [marks])
  return (
    <nav aria-label="Places in the conversation" className="minimap">
      {ticks.map((mark) => (
        <Tick key={mark.id} mark={mark} onJump={onJump} />
      ))}
      <Here marks={marks} rows={rows} sighting={sighting} />
    </nav>
  )
})

const Tick = memo(function Tick({ mark, onJump }: { mark: OutlineMark; onJump: (id: string) => void }) {
  const words = `${NAMES[mark.kind]}${mark.text ? `: ${seenLine(mark.text).slice(0, 140)}` : ""}`
  return (
    <button
      type="button"
      // The outline says the same in words, to those who use a keyboard.
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

function Here({ marks, rows, sighting }: { marks: readonly OutlineMark[]; rows: readonly PageRow[]; sighting: Sighting }) {
  const at = useSighted(sighting, (row) => Math.round(placeInThread(marks, rows, row?.key ?? null) * 500) / 500)
  return <span aria-hidden className="minimap-place" style={{ "--at": String(at) }} />
}
