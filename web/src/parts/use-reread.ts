import { useQueryClient } from "@tanstack/react-query"
import { useLiveEvents } from "@/api/follow"

/** Reads an answer about a conversation again whenever the conversation changes. Returns a function that does it now. */
export function useReread(kind: string, name: string): () => void {
  const cache = useQueryClient()
  const reread = () => void cache.invalidateQueries({ queryKey: [kind, name] }, { cancelRefetch: false })
  useLiveEvents((event) => {
    const isChanged = event.type === "changed" && event.frame.conversations.some((each) => each.name === name)
    if (isChanged || event.type === "reread") reread()
  })
  return reread
}
