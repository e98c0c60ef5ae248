import { type RefObject, useLayoutEffect, useRef } from "react"
import type { VirtualListHandle } from "./virtual-list"

/** Scrolls a row into view and focuses its link, so that Enter opens it: now, or once the row is rendered. */
export function useRowFocus(list: RefObject<VirtualListHandle | null>): (key: string) => void {
  const wanted = useRef<string | null>(null)
  const focusWanted = () => {
    if (wanted.current === null) return
    const link = list.current?.element()?.querySelector<HTMLElement>(`[data-key="${CSS.escape(wanted.current)}"] a`)
    if (!link) return
    wanted.current = null
    link.focus({ preventScroll: true })
  }
  useLayoutEffect(focusWanted)
  return (key) => {
    wanted.current = key
    list.current?.reveal(key)
    focusWanted()
  }
}
