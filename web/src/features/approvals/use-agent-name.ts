import type { ApprovalCard } from "@/api/schema"
import { useConversation } from "@/api/use-conversation"
import { threadName } from "@/parts/thread-name"

/** The name of the sub-agent that asks; null for the main agent, and until it is known. */
export function useAgentName(card: ApprovalCard | null): string | null {
  const { agent = null, conversation = null, conversation_title: title = null } = card ?? {}
  // Only a conversation with a title is in the index: no other one can be requested.
  const isKnown = agent !== null && conversation !== null && title !== null
  const { data } = useConversation(conversation ?? "", { isEnabled: isKnown })
  if (agent === null) return null
  const thread = data?.threads.find(({ id }) => id === agent || id === `agent-${agent}`)
  return thread === undefined ? "a sub-agent" : threadName(thread)
}
