import { ArrowDown } from "lucide-react"
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState, type Ref } from "react"
import { Virtuoso, type ListRange, type VirtuosoHandle } from "react-virtuoso"
import type { PageRow } from "@/api/schema"
import { Button } from "@/ui/button"
import { RowView } from "./row-view"
import { indexOf, type Window } from "./rows"
import type { Sighting } from "./sighting"
import { ListEnd, ListStart } from "./list-ends"
import type { Sight, Trouble } from "./use-rows"

/** Rows that must be left on either side before more are asked for. */
const AHEAD = 80
export const MARGIN_PX = 12
/** What a reader does to scroll, or to open something. */
const INPUTS = ["wheel", "touchstart", "pointerdown", "keydown"] as const
const AT_END_PX = 48

export interface MessageListHandle {
  sight(): Sight
  /** Shows a row that is here, so many pixels below the top; false when it is not. */
  show(id: string, y?: number): boolean
  /** Moves what is shown up by so many pixels, and holds it there. */
  nudge(px: number): void
  showEnd(): void
  element(): HTMLElement | null
}

/** The rows of a window, as many as can be seen, in a list that reaches for more at both ends. */
export function MessageList({
  window: shown,
  trouble,
  isAtWork,
  onBefore,
  onAfter,
  sighting,
  onSeenEnd,
  onEnd,
  ref,
}: {
  window: Window
  trouble: Trouble | null
  isAtWork: boolean
  onBefore: () => void
  onAfter: () => void
  sighting: Sighting
  onSeenEnd: () => void
  /** The reader wants to see the end, wherever it is. */
  onEnd: () => void
  ref: Ref<MessageListHandle>
}) {
  const list = useRef<VirtuosoHandle>(null)
  const scroller = useRef<HTMLElement | null>(null)
  /** The same, for who listens to it: it may come after the first effects. */
  const [box, setBox] = useState<HTMLElement | null>(null)
  const { target } = shown
  const isAtEnd = useRef(target === "end")
  /** What must stay where it is while rows around it are measured, until the reader scrolls. */
  const held = useRef(typeof target === "object" ? target : null)
  const latest = useRef(shown)
  latest.current = shown

  const top = useCallback((): { row: PageRow; y: number } | null => {
    const box = scroller.current
    if (box === null) return null
    const edge = box.getBoundingClientRect().top
    for (const element of box.querySelectorAll<HTMLElement>("[data-item-index]")) {
      const frame = element.getBoundingClientRect()
      if (frame.bottom <= edge + MARGIN_PX + 4) continue
      const row = latest.current.rows[Number(element.dataset["itemIndex"]) - latest.current.first]
      return row ? { row, y: frame.top - edge } : null
    }
    return null
  }, [])

  const hold = useCallback(() => {
    if (held.current === null) return
    const index = indexOf(latest.current, held.current.id)
    if (index >= 0) list.current?.scrollToIndex({ index, align: "start", offset: -held.current.y })
  }, [])

  const show = useCallback((id: string, y: number = MARGIN_PX): boolean => {
    const index = indexOf(latest.current, id)
    if (index < 0) return false
    isAtEnd.current = false
    held.current = { id, y }
    hold()
    return true
  }, [hold])

  useImperativeHandle(ref, () => ({
    sight: () => {
      const first = top()
      return {
        anchor: first?.row.key ?? null,
        id: first?.row.row.id ?? null,
        y: first?.y ?? 0,
        isAtEnd: isAtEnd.current && latest.current.after === null,
      }
    },
    show,
    nudge: (px) => {
      if (held.current === null) return
      held.current = { ...held.current, y: held.current.y - px }
      hold()
    },
    showEnd: () => {
      held.current = null
      list.current?.scrollToIndex({ index: "LAST", align: "end" })
    },
    element: () => scroller.current,
  }))

  const frame = useRef(0)
  const look = useCallback(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0
      sighting.put(top()?.row ?? null)
    })
  }, [sighting, top])
  useEffect(() => {
    const release = () => {
      held.current = null
    }
    box?.addEventListener("scroll", look, { passive: true })
    for (const input of INPUTS) box?.addEventListener(input, release, { passive: true })
    return () => {
      for (const input of INPUTS) box?.removeEventListener(input, release)
      cancelAnimationFrame(frame.current)
      frame.current = 0
      box?.removeEventListener("scroll", look)
    }
  }, [look, box])

  // Pages that come in above, and blocks that open, move what was just shown.
  useLayoutEffect(hold, [hold, shown.rows])

  const reach = ({ startIndex, endIndex }: ListRange): void => {
    look()
    const { first, rows, before, after } = latest.current
    if (before !== null && startIndex - first < AHEAD) onBefore()
    if (after !== null && first + rows.length - 1 - endIndex < AHEAD) onAfter()
  }

  const components = useMemo(() => ({ Header: ListStart, Footer: ListEnd }), [])
  const start = target === "beginning" ? 0 : target === "end" ? -1 : indexOf(shown, target.id)
  return (
    <div className="message-list">
      <Virtuoso
        ref={list}
        scrollerRef={(element) => {
          scroller.current = element instanceof HTMLElement ? element : null
          setBox(scroller.current)
        }}
        data={shown.rows}
        firstItemIndex={shown.first}
        initialTopMostItemIndex={
          start < 0
            ? { index: "LAST", align: "end" }
            : { index: start, align: "start", offset: typeof target === "object" ? -target.y : 0 }
        }
        computeItemKey={(_, row) => row.row.id}
        itemContent={(index, row) => <RowView row={row} before={latest.current.rows[index - latest.current.first - 1]} />}
        defaultItemHeight={64}
        increaseViewportBy={{ top: 1200, bottom: 1200 }}
        minOverscanItemCount={{ top: 4, bottom: 4 }}
        rangeChanged={reach}
        atBottomThreshold={AT_END_PX}
        atBottomStateChange={(isBottom) => {
          isAtEnd.current = isBottom
          if (isBottom && latest.current.after === null) onSeenEnd()
        }}
        totalListHeightChanged={hold}
        followOutput={(isBottom) => (isBottom && latest.current.after === null ? "auto" : false)}
        components={components}
        context={{ before: shown.before, after: shown.after, trouble, isAtWork, isEmpty: shown.rows.length === 0 }}
        aria-label="Messages"
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
