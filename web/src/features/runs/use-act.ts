import { useCallback, useRef, useState } from "react"
import { type Trouble, troubleOf } from "./use-outgoing"

/** Runs one action at a time. `trouble` says why the last one failed. */
export function useAct() {
  const [isActing, setActing] = useState(false)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const isUnderWay = useRef(false)

  const act = useCallback(async (what: () => Promise<void>): Promise<boolean> => {
    if (isUnderWay.current) return false
    isUnderWay.current = true
    setActing(true)
    setTrouble(null)
    try {
      await what()
      return true
    } catch (error) {
      setTrouble(troubleOf(error))
      return false
    } finally {
      isUnderWay.current = false
      setActing(false)
    }
  }, [])
  return { act, isActing, trouble }
}
