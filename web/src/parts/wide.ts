import { useCallback, useSyncExternalStore } from "react"

/** Whether the page is at least so wide. */
export function useIsWide(px: number): boolean {
  const subscribe = useCallback(
    (notify: () => void) => {
      const query = window.matchMedia(`(min-width: ${px}px)`)
      query.addEventListener("change", notify)
      return () => query.removeEventListener("change", notify)
    },
    [px],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(`(min-width: ${px}px)`).matches)
}
