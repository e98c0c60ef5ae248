import { useEffect, useRef, useState } from "react"
import { placed } from "./place"

/**
 * Attributes that give an element a tooltip: `<span {...tip("exact time")}>`.
 *
 * One layer for the whole page renders them (`TooltipLayer`), so that a list of thousands has no setup per row. The
 * text must also be available in another way (a name, a `title`, a page), because not everybody can hover.
 */
export function tip(text: string, keys?: string): { "data-tip": string; "data-tip-keys"?: string } {
  return keys === undefined ? { "data-tip": text } : { "data-tip": text, "data-tip-keys": keys }
}

interface Shown {
  text: string
  keys: string | undefined
  target: DOMRect
}

const DELAY_MS = 350

/** Renders the tooltip of the element that is hovered or focused by keyboard. Mounted once, by the shell. */
export function TooltipLayer() {
  const [shown, setShown] = useState<Shown | null>(null)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let timer = 0
    let current: Element | null = null
    const hide = () => {
      window.clearTimeout(timer)
      current = null
      setShown(null)
    }
    const show = (target: EventTarget | null, delay: number) => {
      const element = target instanceof Element ? target.closest("[data-tip]") : null
      if (element === current) return
      hide()
      if (element === null) return
      current = element
      timer = window.setTimeout(() => {
        const text = element.getAttribute("data-tip")
        if (!text || !element.isConnected) return
        setShown({
          text,
          keys: element.getAttribute("data-tip-keys") ?? undefined,
          target: element.getBoundingClientRect(),
        })
      }, delay)
    }
    const over = (event: PointerEvent) => {
      if (event.pointerType !== "touch") show(event.target, DELAY_MS)
    }
    const focus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(":focus-visible")) show(event.target, DELAY_MS)
    }
    document.addEventListener("pointerover", over)
    document.addEventListener("focusin", focus)
    document.addEventListener("focusout", hide)
    document.addEventListener("pointerdown", hide)
    document.addEventListener("keydown", hide)
    window.addEventListener("scroll", hide, { capture: true, passive: true })
    return () => {
      hide()
      document.removeEventListener("pointerover", over)
      document.removeEventListener("focusin", focus)
      document.removeEventListener("focusout", hide)
      document.removeEventListener("pointerdown", hide)
      document.removeEventListener("keydown", hide)
      window.removeEventListener("scroll", hide, { capture: true })
    }
  }, [])

  useEffect(() => {
    const element = box.current
    if (element === null || shown === null) return
    // In the top layer, so that it is above an open dialog, too.
    element.showPopover()
    const size = element.getBoundingClientRect()
    const { left, top } = placed(shown.target, size, { width: window.innerWidth, height: window.innerHeight })
    element.style.left = `${left}px`
    element.style.top = `${top}px`
  }, [shown])

  if (shown === null) return null
  return (
    <div
      ref={box}
      aria-hidden
      popover="manual"
      className="pointer-events-none fixed inset-auto m-0 max-w-80 overflow-hidden rounded-md border-0 bg-inverse px-2 py-1 text-sm break-words whitespace-pre-line text-on-inverse"
    >
      {shown.text}
      {shown.keys === undefined ? null : <span className="ml-2 opacity-60">{shown.keys}</span>}
    </div>
  )
}
