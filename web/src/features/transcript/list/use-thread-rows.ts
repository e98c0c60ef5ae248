import { useQueryClient } from "@tanstack/react-query"
import { type RefObject, useCallback } from "react"
import type { OnGo, Place } from "../place"
import type { MessageListHandle } from "./message-list"
import { type Rows, useRows } from "./use-rows"

/** Reads the rows of the thread at `place`, and keeps the address and the other threads up to date with them. */
export function useThreadRows(
  name: string,
  { thread, branch }: Place,
  isInternal: boolean,
  listRef: RefObject<MessageListHandle | null>,
  onGo: OnGo,
): Rows {
  const cache = useQueryClient()
  const viewport = useCallback(() => listRef.current?.viewport() ?? null, [listRef])
  const onOther = useCallback(
    (other: string) => void cache.invalidateQueries({ queryKey: ["thread", name, other] }, { cancelRefetch: false }),
    [cache, name],
  )
  const onBranch = useCallback((chosen: readonly string[]) => onGo({ branch: [...chosen] }, true), [onGo])
  return useRows({ name, thread, branch, isInternal }, viewport, onOther, onBranch)
}
