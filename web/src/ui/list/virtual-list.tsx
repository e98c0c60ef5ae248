import { useImperativeHandle, useLayoutEffect, useReducer, useRef, useState } from "react"
import type { ReactNode, Ref, RefObject } from "react"
import { flushSync } from "react-dom"
import { cx } from "@/ui/cx"
import type { Anchor } from "./anchor"
import { Parts } from "./parts"
import type { Range } from "./reach"
import { Scroller } from "./scroller"

export interface VirtualListHandle {
  /** Scrolls to a row or an end as the anchor says; returns false for an unknown row. */
  show(anchor: Anchor): boolean
  /** Scrolls as little as possible to show all of a row. */
  reveal(key: string): void
  anchor(): Anchor
  element(): HTMLElement | null
}

export interface Seen {
  /** The rendered rows: the visible ones, and some around them. */
  drawn: Range
  anchor: Anchor
  /** Pixels of the list below the view. */
  left: number
}

const noHeading = () => -1

/** A list of any length that renders only the rows near the view, and moves only if the reader scrolls. */
export function VirtualList({
  keys,
  row,
  estimate,
  begin = "start",
  sticksTo = null,
  headingOf = noHeading,
  header,
  footer,
  onSeen,
  label,
  className,
  tabIndex = 0,
  ref,
}: {
  /** One unique key for each row. */
  keys: readonly string[]
  row: (index: number) => ReactNode
  /** The estimated height of a row that was never rendered, in pixels. */
  estimate: number
  begin?: Anchor
  /** The end that the view stays at once the reader is there. */
  sticksTo?: "start" | "end" | null
  /** The heading that stays on top of a section; -1 for none. */
  headingOf?: (index: number) => number
  header?: ReactNode
  footer?: ReactNode
  /** Called when the visible rows may have changed. */
  onSeen?: (seen: Seen) => void
  label?: string
  className?: string
  tabIndex?: number
  ref?: Ref<VirtualListHandle>
}) {
  const [, redraw] = useReducer((drawings: number) => drawings + 1, 0)
  const [scroller] = useState(() => new Scroller(begin, { estimate, sticksTo, headingOf }))
  const box = useRef<HTMLDivElement>(null)
  const rows = useRef<HTMLDivElement>(null)
  const before = useRef<HTMLDivElement>(null)
  const above = useRef<HTMLDivElement>(null)
  const below = useRef<HTMLDivElement>(null)
  const range = scroller.rangeFor(keys)

  useLayoutEffect(() => {
    scroller.onRedraw = (isAtOnce) => (isAtOnce ? flushSync(redraw) : redraw())
    return scroller.attach(new Parts(there(box), there(rows), there(before), there(above), there(below)))
  }, [scroller])

  useLayoutEffect(() => {
    scroller.configure({ estimate, sticksTo, headingOf })
    scroller.onSeen = () => onSeen?.({ drawn: scroller.drawn, anchor: scroller.anchor, left: scroller.left })
    scroller.drew(keys, range)
  })

  useImperativeHandle(ref, () => ({
    show: (anchor) => {
      if (typeof anchor === "object" && !keys.includes(anchor.key)) return false
      scroller.show(anchor)
      return true
    },
    reveal: (key) => scroller.reveal(key),
    anchor: () => scroller.anchor,
    element: () => box.current,
  }))
  const heading = headingOf(range.start)
  const draw = (index: number) => (
    <div key={keys[index]} data-key={keys[index]} data-heading={headingOf(index) === index || undefined} className="virtual-row">
      {row(index)}
    </div>
  )
  return (
    <div ref={box} className={cx("virtual-list", className)} tabIndex={tabIndex} aria-label={label} role={label && "region"}>
      {header}
      <div ref={rows}>
        <div key="before" ref={before} />
        {heading >= 0 && heading < range.start ? draw(heading) : null}
        <div key="above" ref={above} />
        {Array.from({ length: range.end - range.start }, (_, nth) => draw(range.start + nth))}
        <div key="below" ref={below} />
      </div>
      {footer}
    </div>
  )
}

/** Returns the element of a part, which exists as long as the list does. */
function there(part: RefObject<HTMLElement | null>): HTMLElement {
  if (part.current === null) throw new Error("a list without its parts")
  return part.current
}
