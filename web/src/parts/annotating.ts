import { createContext, useContext } from "react"
import { useBackend } from "@/api/follow"
import type { ConversationSummary } from "@/api/schema"

/** Opens the dialog for the annotation of a conversation. The shell provides it. */
export const AnnotateContext = createContext<(conversation: ConversationSummary) => void>(() => undefined)

export function useAnnotate(): (conversation: ConversationSummary) => void {
  return useContext(AnnotateContext)
}

/** Stars a conversation, or removes the star. The socket reports the change to every page, including this one. */
export function useStar(): (conversation: ConversationSummary) => void {
  const backend = useBackend()
  return ({ name, is_starred }) => void backend.annotate(name, { is_starred: !is_starred }).catch(() => undefined)
}
