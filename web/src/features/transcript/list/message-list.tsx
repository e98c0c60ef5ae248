import { ArrowDown } from "lucide-react"
import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, type Ref } from "react"
import type { PageRow } from "@/api/schema"
import { Button } from "@/ui/button"
import type { Anchor } from "@/ui/list/anchor"
import { VirtualList, type Seen, type VirtualListHandle } from "@/ui/list/virtual-list"
import { daysOf } from "./days"
import { ListEnd, ListStart } from "./list-ends"
import { RowView } from "../rows/row-view"
import { indexOf, type Target, type Window } from "./rows"
import type { FirstVisibleRow } from "./first-visible-row"
import type { Viewport, Trouble } from "./use-rows"

/** More rows are loaded when fewer than this remain on one side. */
const AHEAD = 80
export const MARGIN_PX = 12
/** Within this distance of the end, its rows count as seen. */
const AT_END_PX = 48
const ROW_PX = 64
/** This much of a part must be above the lower edge to count as visible. */
const SEEN_PX = 60

export interface MessageListHandle {
  viewport(): Viewport
  /** Scrolls to a loaded row, placed this many pixels below the top; returns false if it is not loaded. */
  show(id: string, y?: number): boolean
  /** Scrolls by this many pixels. */
  nudge(px: number): void
  /** Scrolls a part of a row, found by its selector, into view if it is below the view. */
  bringUp(selector: string): void
  showEnd(): void
  element(): HTMLElement | null
}

/** A virtual list of the rows of a window; it loads more at both ends. */
export function MessageList({
  window: shown,
  trouble,
  isAtWork,
  onBefore,
  onAfter,
  firstVisible,
  onSeenEnd,
  onEnd,
  ref,
}: {
  window: Window
  trouble: Trouble | null
  isAtWork: boolean
  onBefore: () => void
  onAfter: () => void
  firstVisible: FirstVisibleRow
  onSeenEnd: () => void
  /** Called when the reader wants to see the end, even if it is not loaded. */
  onEnd: () => void
  ref: Ref<MessageListHandle>
}) {
  const list = useRef<VirtualListHandle>(null)
  const { rows, before, after } = shown
  const keys = useMemo(() => rows.map((row) => row.row.id), [rows])
  const days = useMemo(() => daysOf(rows.map((row) => row.row.time), before === null), [rows, before])

  /** Returns the first visible row, and how far below the top it begins. */
  const top = useCallback((): { row: PageRow; y: number } | null => {
    const box = list.current?.element()
    if (!box) return null
    const edge = box.getBoundingClientRect().top
    for (const element of box.querySelectorAll<HTMLElement>("[data-key]")) {
      const frame = element.getBoundingClientRect()
      if (frame.bottom <= edge + MARGIN_PX + 4) continue
      const row = rows[indexOf(shown, element.dataset["key"] ?? "")]
      return row ? { row, y: frame.top - edge } : null
    }
    return null
  }, [rows, shown])

  const nudge = (px: number): void => {
    const anchor = list.current?.anchor()
    if (typeof anchor === "object") list.current?.show({ key: anchor.key, y: anchor.y - px })
  }

  useImperativeHandle(ref, () => ({
    viewport: () => {
      const first = top()
      return {
        anchor: first?.row.key ?? null,
        id: first?.row.row.id ?? null,
        y: first?.y ?? 0,
        isAtEnd: after === null && list.current?.anchor() === "end",
      }
    },
    show: (id, y = MARGIN_PX) => {
      const row = rows[indexOf(shown, id)]
      return row !== undefined && (list.current?.show({ key: row.row.id, y }) ?? false)
    },
    nudge,
    bringUp: (selector) => {
      const box = list.current?.element()
      const view = box?.getBoundingClientRect()
      const part = box?.querySelector(selector)?.getBoundingClientRect()
      if (view && part && part.top > view.bottom - SEEN_PX) nudge(part.top - view.top - view.height / 3)
    },
    showEnd: () => list.current?.show("end"),
    element: () => list.current?.element() ?? null,
  }))

  const frame = useRef(0)
  const look = (): void => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0
      firstVisible.put(top()?.row ?? null)
    })
  }
  useEffect(() => () => cancelAnimationFrame(frame.current), [])

  const reach = ({ drawn, left }: Seen): void => {
    look()
    if (before !== null && drawn.start < AHEAD) onBefore()
    if (after !== null && rows.length - drawn.end < AHEAD) onAfter()
    if (after === null && left <= AT_END_PX) onSeenEnd()
  }

  return (
    <div className="message-list">
      <VirtualList
        ref={list}
        keys={keys}
        row={(index) => {
          const row = rows[index]
          return row && <RowView row={row} before={rows[index - 1]} day={days[index]} />
        }}
        estimate={ROW_PX}
        begin={beginning(shown, shown.target)}
        sticksTo={after === null ? "end" : null}
        onSeen={reach}
        header={<ListStart before={before} trouble={trouble} isEmpty={rows.length === 0} />}
        footer={<ListEnd after={after} trouble={trouble} isAtWork={isAtWork} />}
        label="Messages"
        className="message-scroller"
      />
      {shown.fresh.size > 0 ? (
        <Button kind="primary" className="fresh-pill" onClick={onEnd}>
          <ArrowDown aria-hidden />
          {shown.fresh.size} new
        </Button>
      ) : null}
    </div>
  )
}

function beginning(shown: Window, target: Target): Anchor {
  if (target === "beginning") return "start"
  if (target === "end" || "around" in target) return "end"
  const row = shown.rows[indexOf(shown, target.id)]
  return row ? { key: row.row.id, y: target.y } : "end"
}
