import { useState } from "react"

/** The value, or the last one there was while there is none: an answer stays on display until the next one is good. */
export function useLastGood<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}
