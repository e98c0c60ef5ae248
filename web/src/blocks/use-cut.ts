import { useContext, useState } from "react"
import { FoldsContext, useFold } from "./folds"
import { folded, opened, STEP, type Cut } from "./text/cuts"
import { useHidden } from "./wholeness"

export interface CutControl extends Cut {
  isOpen: boolean
  canFold: boolean
  open: () => void
  fold: () => void
}

/** Returns which of `total` lines are shown: `head` + `tail` until the reader opens the rest. */
export function useCut(key: string, total: number, head: number, tail = 0): CutControl {
  const [isOpen, put] = useFold("lines", key, false)
  const reached = useContext(FoldsContext).reached(key)
  const [more, setMore] = useState(0)
  const steps = Math.floor(reached / STEP) + 1 + more
  const closed = folded(total, head, tail)
  const cut = isOpen ? opened(total, steps) : closed
  useHidden(`${key} lines`, cut.left)
  return {
    ...cut,
    isOpen,
    canFold: isOpen && closed.left > 0,
    open: () => (isOpen ? setMore(more + 1) : put(true)),
    fold: () => {
      setMore(0)
      put(false)
    },
  }
}
