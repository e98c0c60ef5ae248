import { type RefObject, useEffect, useState } from "react"

/**
 * Whether the end of something was visible at least once, and not below `cover`, which stays at the edge of a small
 * screen. `of` identifies it: for another one, the end has to be seen again.
 */
export function useEndSeen(end: RefObject<Element | null>, cover: RefObject<Element | null>, of: string | null): boolean {
  const [seen, setSeen] = useState<string | null>(null)
  useEffect(() => {
    const element = end.current
    if (element === null || of === null) return undefined
    let frame = 0
    const look = () => {
      const edge = cover.current?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY
      if (!document.hidden && element.getBoundingClientRect().bottom <= edge + 1) setSeen(of)
      else frame = requestAnimationFrame(look)
    }
    const observer = new IntersectionObserver((entries) => {
      cancelAnimationFrame(frame)
      if (entries.at(-1)?.isIntersecting) look()
    })
    observer.observe(element)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
    }
  }, [end, cover, of])
  return of !== null && seen === of
}
