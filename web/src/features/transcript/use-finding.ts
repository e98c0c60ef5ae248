import { useContext, useEffect, useEffectEvent, useMemo, useRef, useState, type RefObject } from "react"
import { FoldsContext } from "@/blocks/folds"
import { keepMarked, rangesOf } from "./find-marks"
import { foldsHolding, wordsOf } from "./found"
import type { MessageListHandle } from "./message-list"
import { indexOf, type Window } from "./rows"
import { useFind, type Find } from "./use-find"

/** The bar to find something with stands above the first row, and takes this much room. */
const FIND_PX = 60

export interface Finding {
  /** What is looked for; null while the bar is closed. */
  query: string | null
  put(query: string | null): void
  find: Find
}

/** Find in conversation: hits are shown one after the other, opened as far as needed, their words marked. */
export function useFinding(
  of: { name: string; thread: string },
  list: RefObject<MessageListHandle | null>,
  shown: Window,
  onShow: (id: string, y: number) => void,
): Finding {
  const folds = useContext(FoldsContext)
  const [query, put] = useState<string | null>(null)
  const words = useMemo(() => wordsOf(query ?? ""), [query])
  const hitId = useRef<string | null>(null)
  const find = useFind(of.name, of.thread, query ?? "", {
    where: () => list.current?.sight().anchor ?? null,
    onHit: (hit) => {
      hitId.current = hit.id
      onShow(hit.id, FIND_PX)
    },
  })

  // The row of a hit may come with a page later.
  const openHit = useEffectEvent(() => {
    const row = shown.rows[indexOf(shown, hitId.current ?? "")]
    if (row === undefined) return
    hitId.current = null
    for (const [kind, key] of foldsHolding(row, words)) folds.put(kind, key, true)
    // What was opened is measured first; then the word itself may be far below the beginning of its row.
    window.setTimeout(() => showWord(list.current, row.row.id, words), 80)
  })
  useEffect(() => openHit(), [shown.rows, find.index])

  useEffect(() => {
    const box = list.current?.element()
    return box && words.length > 0 ? keepMarked(box, words) : undefined
  }, [list, words, shown.place])

  return { query, put, find }
}

/** Moves the first of the words in a row into sight. */
function showWord(list: MessageListHandle | null, id: string, words: readonly string[]): void {
  const box = list?.element()?.getBoundingClientRect()
  const row = document.getElementById(`row-${id}`)
  const word = row === null ? undefined : rangesOf(row, words)[0]?.getBoundingClientRect()
  if (box && word && word.bottom > box.bottom - FIND_PX) list?.nudge(word.top - box.top - box.height / 3)
}
