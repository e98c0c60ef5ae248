import { useState } from "react"
import { useFold } from "./folds"
import { folded, opened, type Cut } from "./text/cuts"
import { useHidden } from "./wholeness"

export interface CutControl extends Cut {
  isOpen: boolean
  canFold: boolean
  open: () => void
  fold: () => void
}

/** Which of `total` lines are shown, folded to `head` + `tail` until the reader wants them all. */
export function useCut(key: string, total: number, head: number, tail = 0): CutControl {
  const [isOpen, put] = useFold("lines", key, false)
  const [steps, setSteps] = useState(1)
  const closed = folded(total, head, tail)
  const cut = isOpen ? opened(total, steps) : closed
  useHidden(`${key} lines`, cut.left)
  return {
    ...cut,
    isOpen,
    canFold: isOpen && closed.left > 0,
    open: () => (isOpen ? setSteps(steps + 1) : put(true)),
    fold: () => {
      setSteps(1)
      put(false)
    },
  }
}
