import { type RefObject, useEffect, useState } from "react"

/**
 * Whether the end of something was visible at least once. `of` identifies it: for another one, the end has to be seen
 * again.
 */
export function useEndSeen(end: RefObject<Element | null>, of: string | null): boolean {
  const [seen, setSeen] = useState<string | null>(null)
  useEffect(() => {
    const element = end.current
    if (element === null || of === null) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && !document.hidden) setSeen(of)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [end, of])
  return of !== null && seen === of
}
