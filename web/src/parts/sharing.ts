import { createContext, useContext } from "react"
import type { ConversationSummary } from "@/api/schema"

/** Opens the dialog for sharing a conversation. The shell provides it. */
export const ShareContext = createContext<(conversation: ConversationSummary) => void>(() => undefined)

export function useShare(): (conversation: ConversationSummary) => void {
  return useContext(ShareContext)
}
