import { useEffect, useState } from "react"

/** A change of the viewport below this is a bar of the browser, and no keyboard. */
const KEYBOARD_PX = 120

/** Returns the height that the keyboard of a phone leaves; null if it covers nothing. A magnified page has no keyboard. */
export function heightLeft(innerHeight: number, viewport: Pick<VisualViewport, "height" | "scale">): number | null {
  if (viewport.scale > 1.01 || innerHeight - viewport.height < KEYBOARD_PX) return null
  return Math.floor(viewport.height)
}

/** Keeps the application above the keyboard of a phone; returns whether the keyboard is open. */
export function useRoom(): boolean {
  const [isTyping, setTyping] = useState(false)
  useEffect(() => {
    const viewport = window.visualViewport
    if (viewport === null) return undefined
    const { style } = document.documentElement
    const look = () => {
      const height = heightLeft(window.innerHeight, viewport)
      setTyping(height !== null)
      if (height === null) style.removeProperty("--room")
      else {
        style.setProperty("--room", `${height}px`)
        // Some browsers scroll the page under the keyboard, although there is nothing to scroll.
        window.scrollTo(0, 0)
      }
    }
    look()
    viewport.addEventListener("resize", look)
    return () => {
      viewport.removeEventListener("resize", look)
      style.removeProperty("--room")
    }
  }, [])
  return isTyping
}
