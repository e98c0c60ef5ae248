import { useContext, useMemo } from "react"
import { useBackend } from "@/api/follow"
import type { PageRow } from "@/api/schema"
import type { Navigation } from "../list/use-navigation"
import { ReplayContext } from "./replay-context"

/** Returns the moment at which an item was there: a call with its result, or else the row. */
export function momentOf(rows: readonly PageRow[], id: string): string | null {
  for (const { row, moments } of rows) {
    const piece = row.type === "message" ? row.pieces.findIndex((each) => each.type === "call" && each.id === id) : -1
    const call = moments.pieces[piece]
    if (call !== undefined) return call.ended ?? call.shown
  }
  return rows.find(({ row, places }) => row.id === id || Object.hasOwn(places, id))?.moments.shown ?? null
}

/**
 * Returns the navigation of a thread that moves the player as well: while a moment is shown, a jump to an item goes to
 * the moment at which the item was there.
 */
export function useReplayJump(name: string, navigation: Navigation): Navigation {
  const player = useContext(ReplayContext)
  const backend = useBackend()
  const { jump } = navigation
  const replayed = useMemo(() => {
    if (player === null) return jump
    return (id: string) => {
      if (player.state().id === null) {
        jump(id)
        return
      }
      void backend.rows(name, { at: id, limit: 3 }).then(
        ({ rows }) => {
          const at = momentOf(rows, id)
          if (at !== null) void player.goTo(at)
        },
        () => undefined,
      )
    }
  }, [player, backend, name, jump])
  return { ...navigation, jump: replayed }
}
