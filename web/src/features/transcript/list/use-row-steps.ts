import { useContext, type RefObject } from "react"
import type { OutlineMark, PageRow } from "@/api/schema"
import { FoldsContext } from "@/blocks/folds"
import { foldsOf } from "../find/found"
import type { MessageListHandle } from "./message-list"
import { neighbourPrompt, neighbourRow } from "../panels/outline-marks"
import { indexOf, type Window } from "./rows"

export interface RowSteps {
  /** The current row: the chosen one if it is visible, else the first visible one. */
  here(): PageRow | undefined
  step(by: 1 | -1): void
  stepPrompt(by: 1 | -1): void
  /** Opens everything in the row; closes it all if everything is open. */
  toggleFolds(): void
}

/** Moves from row to row by keyboard. */
export function useRowSteps(
  list: RefObject<MessageListHandle | null>,
  shown: Window,
  marks: readonly OutlineMark[],
  currentId: string | null,
  { onCurrent, onShow, onEnd }: { onCurrent: (id: string) => void; onShow: (id: string) => void; onEnd: () => void },
): RowSteps {
  const folds = useContext(FoldsContext)

  const hereAt = (): number => {
    const chosen = currentId === null ? -1 : indexOf(shown, currentId)
    const frame = elementOf(shown.rows[chosen])?.getBoundingClientRect()
    const box = list.current?.element()?.getBoundingClientRect()
    const isSeen = frame && box && frame.bottom > box.top && frame.top < box.bottom
    return isSeen ? chosen : indexOf(shown, list.current?.viewport().id ?? "")
  }

  return {
    here: () => shown.rows[hereAt()],
    step: (by) => {
      const row = shown.rows[hereAt() + by]
      if (row === undefined) return
      onCurrent(row.row.id)
      list.current?.show(row.row.id)
      requestAnimationFrame(() => elementOf(row)?.focus({ preventScroll: true }))
    },
    stepPrompt: (by) => {
      const from = hereAt()
      // The outline of a long thread leaves prompts out; the loaded rows do not.
      const near = neighbourRow(shown.rows, from, by)
      const id = near ?? neighbourPrompt(marks, shown.rows[from]?.key ?? null, by)?.id
      if (id !== undefined) onShow(id)
      else if (by > 0) onEnd()
    },
    toggleFolds: () => {
      const row = shown.rows[hereAt()]
      if (row === undefined) return
      const all = foldsOf(row)
      const isAll = all.every(([kind, key]) => folds.isOpen(kind, key, false))
      for (const [kind, key] of all) folds.put(kind, key, !isAll)
      onCurrent(row.row.id)
    },
  }
}

function elementOf(row: PageRow | undefined): HTMLElement | null {
  return row === undefined ? null : document.getElementById(`row-${row.row.id}`)
}
