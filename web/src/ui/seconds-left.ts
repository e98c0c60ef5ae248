import { useEffect, useState } from "react"

/** Counts down from a number of seconds, by a clock that nobody sets; starts again when the number is another one. */
export function useSecondsLeft(seconds: number): number {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const end = performance.now() + seconds * 1000
    const look = () => setLeft(Math.max(0, Math.ceil((end - performance.now()) / 1000)))
    look()
    const timer = window.setInterval(look, 250)
    return () => window.clearInterval(timer)
  }, [seconds])
  return left
}
