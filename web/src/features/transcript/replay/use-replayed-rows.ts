import { type RefObject, useContext, useEffect, useEffectEvent, useMemo, useRef } from "react"
import type { MessageListHandle } from "../list/message-list"
import type { RowKey, Window } from "../list/rows"
import type { Rows } from "../list/use-rows"
import { rowsAsOf } from "./as-of"
import { ReplayContext, useReplayJumps, useReplayNow } from "./replay-context"

const NONE: ReadonlySet<string> = new Set()
/** More rows are loaded when fewer than this are left that will be shown next. */
const AHEAD = 40

/**
 * Returns the rows as of the moment of the player; all rows while there is no player or it follows the end. The loaded
 * part of the thread moves with the player.
 */
export function useReplayedRows(rows: Rows, list: RefObject<MessageListHandle | null>): Rows {
  const player = useContext(ReplayContext)
  const now = useReplayNow()
  const { window: loaded, open, loadAfter, isOpening } = rows
  const shown = useMemo<Window>(
    () => (now === null ? loaded : { ...loaded, rows: rowsAsOf(loaded.rows, now), after: null, fresh: NONE }),
    [loaded, now],
  )
  const jumps = useReplayJumps()
  const id = now?.id ?? null

  const sought = useRef<string | null>(null)
  // The rows around the moment must be loaded: those before it, and some that come next.
  useEffect(() => {
    if (id === null || isOpening) return
    const [first, last] = [loaded.rows[0], loaded.rows.at(-1)]
    const isBefore = first === undefined || (loaded.before !== null && first.moments.shown > id)
    const isAfter = last !== undefined && loaded.after !== null && last.moments.shown <= id
    const isElsewhere = (isBefore && loaded.before !== null) || (isAfter && isFar(last.moments.shown, id))
    // Rows without times can be far from their key: they are reached page by page.
    if (isElsewhere && sought.current !== id) {
      sought.current = id
      void open({ around: keyOf(id) })
    } else if (loaded.after !== null && shown.rows.length > loaded.rows.length - AHEAD) loadAfter()
  }, [id, isOpening, loaded, shown.rows.length, open, loadAfter])

  // After a jump the reader sees what came last.
  useEffect(() => {
    if (jumps > 0) list.current?.showEnd()
  }, [jumps, list])

  // While the end is followed after a look back, the end must be loaded.
  const isFollowing = player !== null && id === null && jumps > 0
  const openEnd = useEffectEvent(() => {
    if (loaded.after !== null) void open("end")
  })
  // Only when following begins: afterwards the reader may scroll.
  useEffect(() => {
    if (isFollowing) openEnd()
  }, [isFollowing])

  return now === null ? rows : { ...rows, window: shown, loadAfter: () => {}, seeEnd: () => {} }
}

/** Whether a moment is so much later that loading page after page would take long. */
function isFar(from: string, to: string): boolean {
  const gap = Date.parse(timeIn(to)) - Date.parse(timeIn(from))
  return !(gap < 60_000)
}

/** Returns the key of a row that would stand at a moment: both consist of time and rank. */
function keyOf(id: string): RowKey {
  return [timeIn(id), Number(id.split("!")[1] ?? 0), "", 0, 0, ""]
}

function timeIn(id: string): string {
  return id.split("!")[0] ?? ""
}
