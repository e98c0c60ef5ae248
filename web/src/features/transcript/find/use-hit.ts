import { type RefObject, useContext, useEffect, useEffectEvent, useRef, useState } from "react"
import { FoldsContext } from "@/blocks/folds"
import { rangesOf } from "./find-marks"
import { foldsHolding, isCut } from "./found"
import type { MessageListHandle } from "../list/message-list"
import { indexOf, type Window } from "../list/rows"

/** This much space is left above and below a word that is scrolled into view. */
const ROOM_PX = 60
/**
 * Opened parts are rendered and measured first, which may take a while: the search for the word is repeated until its
 * position is stable.
 */
const AGAIN_MS = 120
const MAX_LOOKS = 40
const STAYS = 3

const MOVES = ["wheel", "touchmove", "keydown", "pointerdown"] as const

interface Hit {
  id: string
  words: readonly string[]
  /** Whether the whole row was already requested. */
  isWhole: boolean
}

/**
 * Shows the words of a hit once its row is loaded: opens what contains them, loads what was cut, and scrolls the first
 * word into view.
 */
export function useHit(
  list: RefObject<MessageListHandle | null>,
  shown: Window,
  loadWhole: (id: string) => Promise<void>,
): (id: string, words: readonly string[]) => void {
  const folds = useContext(FoldsContext)
  const sought = useRef<Hit | null>(null)
  const timer = useRef(0)

  const open = useEffectEvent(() => {
    const hit = sought.current
    const row = shown.rows[indexOf(shown, hit?.id ?? "")]
    if (hit === null || row === undefined) return
    const holding = foldsHolding(row, hit.words)
    if (holding.length === 0 && !hit.isWhole && hit.words.length > 0 && isCut(row)) {
      hit.isWhole = true
      void loadWhole(row.row.id).catch(() => undefined)
      return
    }
    sought.current = null
    for (const [kind, key, line] of holding) {
      if (kind === "lines") folds.reach(key, line)
      else folds.put(kind, key, true)
    }
    window.clearInterval(timer.current)
    let [looks, inSight] = [0, 0]
    timer.current = window.setInterval(() => {
      inSight = bringIntoSight(list.current, row.row.id, hit) ? inSight + 1 : 0
      if (inSight >= STAYS || ++looks >= MAX_LOOKS) window.clearInterval(timer.current)
    }, AGAIN_MS)
  })
  const [asked, ask] = useState(0)
  // The row may be loaded already; if not, it comes with a page.
  useEffect(() => open(), [shown.rows, asked])
  // Stops as soon as the reader scrolls, so that the list does not move against them.
  useEffect(() => {
    const leave = () => window.clearInterval(timer.current)
    for (const event of MOVES) window.addEventListener(event, leave, { passive: true })
    return () => {
      leave()
      for (const event of MOVES) window.removeEventListener(event, leave)
    }
  }, [])

  return (id, words) => {
    sought.current = { id, words, isWhole: false }
    ask((count) => count + 1)
  }
}

/**
 * Scrolls the first word of a hit into view: in the call that is the hit, else in its row. Returns whether it was
 * already in view.
 */
function bringIntoSight(list: MessageListHandle | null, rowId: string, hit: Hit): boolean {
  const box = list?.element()?.getBoundingClientRect()
  const row = document.getElementById(`row-${rowId}`)
  if (!box || row === null) return false
  const call = row.querySelector(`[data-call="${CSS.escape(hit.id.replace(/^(?:call|result):/, ""))}"]`)
  const range = (call === null ? undefined : rangesOf(call, hit.words)[0]) ?? rangesOf(row, hit.words)[0]
  const word = range?.getBoundingClientRect()
  if (!word) return false
  const isThere = word.top >= box.top + ROOM_PX && word.bottom <= box.bottom - ROOM_PX
  if (!isThere) list?.nudge(word.top - box.top - box.height / 3)
  return isThere
}
