import { useEffect, useEffectEvent, useState } from "react"
import { pointsAt } from "./code-points"
import type { Advice } from "./query-text"

export type Advise = (text: string, at: number, signal: AbortSignal) => Promise<Advice>

const NONE: Advice = { suggestions: [], problem: null }
const PAUSE_MS = 70

/** Returns the advice for a text with the caret at this unit. Keeps the last answer until the next one arrives. */
export function useAdvice(advise: Advise, text: string, caret: number, isWanted: boolean): Advice {
  const [advice, setAdvice] = useState<Advice>(NONE)
  const ask = useEffectEvent(advise)

  const isNeeded = isWanted || text.trim() !== ""

  useEffect(() => {
    if (!isNeeded) return
    const abort = new AbortController()
    const timer = window.setTimeout(() => {
      ask(text, pointsAt(text, caret), abort.signal).then(
        (answer) => setAdvice(answer),
        // Completion is optional: without it one can still type, and the answer to the query says what is wrong.
        () => {
          if (!abort.signal.aborted) setAdvice(NONE)
        },
      )
    }, PAUSE_MS)
    return () => {
      window.clearTimeout(timer)
      abort.abort()
    }
  }, [text, caret, isNeeded])

  return isNeeded ? advice : NONE
}
