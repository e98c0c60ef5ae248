import { useEffect, useEffectEvent, useMemo, useState, type RefObject } from "react"
import { keepMarked } from "./find-marks"
import { wordsOf } from "./found"
import type { MessageListHandle } from "../list/message-list"
import { useFind, type Find } from "./use-find"
import { useHit } from "./use-hit"
import type { Rows } from "../list/use-rows"

/** The search bar covers this much of the list at its top. */
const FIND_PX = 60

export interface Finding {
  /** The query; null while the bar is closed. */
  query: string | null
  put(query: string | null): void
  find: Find
}

/**
 * Search in a conversation: shows one hit after the other, opens what contains it, and marks its words. `linked` is the
 * hit that the address names, if the reader came from a search.
 */
export function useFinding(
  of: { name: string; thread: string },
  list: RefObject<MessageListHandle | null>,
  { window: shown, loadWhole }: Pick<Rows, "window" | "loadWhole">,
  onShow: (id: string, y: number) => void,
  linked: { at: string | null; words: readonly string[] },
): Finding {
  const [query, put] = useState<string | null>(null)
  const words = useMemo(
    () => (query === null ? linked.words.map((word) => word.toLowerCase()) : wordsOf(query)),
    [query, linked.words],
  )
  const showHit = useHit(list, shown, loadWhole)
  const find = useFind(of.name, of.thread, query ?? "", {
    where: () => list.current?.viewport().anchor ?? null,
    onHit: (hit) => {
      onShow(hit.id, FIND_PX)
      showHit(hit.id, words)
    },
  })

  const showLinked = useEffectEvent((at: string) => showHit(at, words))
  useEffect(() => {
    if (linked.at !== null && linked.words.length > 0) showLinked(linked.at)
  }, [linked.at, linked.words])

  useEffect(() => {
    const box = list.current?.element()
    return box && words.length > 0 ? keepMarked(box, words) : undefined
  }, [list, words, shown.place])

  return { query, put, find }
}
