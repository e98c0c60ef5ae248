import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useRef } from "react"
import { useBackend, useLiveEvents } from "./follow"
import type { ConversationDetail } from "./schema"

/** What is known about a conversation in addition to its rows. */
export function useConversation(name: string, { isEnabled = true } = {}) {
  const backend = useBackend()
  return useQuery({
    queryKey: detailKey(name),
    queryFn: ({ signal }) => backend.conversation(name, signal),
    enabled: isEnabled,
  })
}

/** The places of a thread to jump to. */
export function useOutline(name: string, thread: string, { isEnabled = true } = {}) {
  const backend = useBackend()
  return useQuery({
    queryKey: [...outlineKey(name), thread],
    queryFn: ({ signal }) => backend.outline(name, thread, signal),
    enabled: isEnabled,
  })
}

/** Keeps the data of the hooks above up to date. Mounted once for the conversation on display. */
export function useLiveConversation(name: string): void {
  const cache = useQueryClient()
  const due = useRef(new Set<string>())
  /** Reads again after the response that is on its way, which may be older than the change. */
  const readAfter = async (queryKey: [string, string]): Promise<void> => {
    const key = queryKey.join("\n")
    if (due.current.has(key)) return
    if (cache.isFetching({ queryKey }) > 0) {
      due.current.add(key)
      await cache.invalidateQueries({ queryKey }, { cancelRefetch: false })
      due.current.delete(key)
    }
    await cache.invalidateQueries({ queryKey }, { cancelRefetch: false })
  }
  useLiveEvents((event) => {
    if (event.type === "reread" || event.type === "annotations") {
      for (const queryKey of [detailKey(name), outlineKey(name)]) void cache.invalidateQueries({ queryKey })
    }
    if (event.type !== "changed") return
    const summary = event.frame.conversations.find((each) => each.name === name)
    if (summary === undefined) return
    cache.setQueryData<ConversationDetail>(detailKey(name), (before) => before && { ...before, summary })
    // While an agent works, changes come faster than responses: if each change restarted the request, none would ever
    // arrive.
    for (const queryKey of [detailKey(name), outlineKey(name)]) void readAfter(queryKey)
  })
}

function detailKey(name: string): [string, string] {
  return ["conversation", name]
}

/** Of all its threads. */
function outlineKey(name: string): [string, string] {
  return ["outline", name]
}
