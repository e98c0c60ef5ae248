import { createContext, useContext } from "react"
import { useBackend } from "@/api/follow"
import type { ConversationSummary } from "@/api/schema"

/** Opens what a person can say about a conversation, and do with it. The shell has it. */
export const AnnotateContext = createContext<(conversation: ConversationSummary) => void>(() => undefined)

export function useAnnotate(): (conversation: ConversationSummary) => void {
  return useContext(AnnotateContext)
}

/** Stars a conversation, or takes its star away. The socket tells every page, this one too. */
export function useStar(): (conversation: ConversationSummary) => void {
  const backend = useBackend()
  return ({ name, is_starred }) => void backend.annotate(name, { is_starred: !is_starred }).catch(() => undefined)
}
