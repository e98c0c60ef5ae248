import { type RefObject, useCallback, useContext, useEffect, useEffectEvent, useRef, useState } from "react"
import { FoldsContext } from "@/blocks/folds"
import { MARGIN_PX, type MessageListHandle } from "./message-list"
import type { OnGo } from "../place"
import { indexOf } from "./rows"
import type { Rows } from "./use-rows"

export interface Navigation {
  /** The id of the current row, or of a part of it; null for none. */
  currentId: string | null
  makeCurrent(id: string): void
  /** Shows an item this many pixels below the top: scrolls to it if it is loaded, else loads the rows around it. */
  showItem(id: string, y?: number): void
  showEnd(): void
  showBeginning(): void
  /** Shows an item, and puts it into the address. */
  jump(id: string): void
}

/** Moves between places of a thread. `at` is the place that the address names; null for the end. */
export function useNavigation(
  listRef: RefObject<MessageListHandle | null>,
  { window: shown, open }: Pick<Rows, "window" | "open">,
  at: string | null,
  onGo: OnGo,
): Navigation {
  const folds = useContext(FoldsContext)
  const [currentId, setCurrent] = useState(at)

  const sought = useRef<string | null>(null)
  const showItem = useCallback(
    (id: string, y: number = MARGIN_PX): void => {
      folds.put("call", callOf(id), true)
      setCurrent(id)
      sought.current = id
      if (!listRef.current?.show(id, y)) void open({ id, y })
    },
    [folds, listRef, open],
  )
  // The row may be loaded later; a call may be far below the beginning of its row.
  useEffect(() => {
    const id = sought.current
    if (id === null || indexOf(shown, id) < 0) return undefined
    sought.current = null
    const frame = requestAnimationFrame(() => listRef.current?.bringUp(`[data-call="${CSS.escape(callOf(id))}"]`))
    return () => cancelAnimationFrame(frame)
  }, [listRef, shown, currentId])

  const showEnd = useCallback(() => {
    setCurrent(null)
    if (shown.after === null && shown.rows.length > 0) listRef.current?.showEnd()
    else void open("end")
  }, [listRef, open, shown.after, shown.rows.length])
  const showBeginning = (): void => {
    const first = shown.rows[0]
    setCurrent(null)
    if (shown.before !== null || first === undefined || !listRef.current?.show(first.row.id)) void open("beginning")
  }

  // The address says where to begin, and may change while the thread stays: back, forward, or a link.
  const went = useRef<string | null | undefined>(undefined)
  const goTo = useEffectEvent((place: string | null) => {
    if (place === went.current) return
    const isFirst = went.current === undefined
    went.current = place
    if (place !== null) showItem(place)
    else if (isFirst) void open("end")
  })
  useEffect(() => goTo(at), [at])

  const jump = useCallback(
    (id: string) => {
      went.current = id
      onGo({ at: id })
      showItem(id)
    },
    [onGo, showItem],
  )
  return { currentId, makeCurrent: setCurrent, showItem, showEnd, showBeginning, jump }
}

/** Returns the id of a call from the id of its entry or of its result. */
function callOf(id: string): string {
  return id.replace(/^(?:call|result):/, "")
}
