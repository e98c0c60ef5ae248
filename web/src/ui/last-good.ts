import { useState } from "react"

/** Returns the value or, while there is none, the last one: an answer stays on display until the next valid one. */
export function useLastGood<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}
