import { lazy, Suspense, useState } from "react"
import { useAskingConversations } from "@/api/use-approvals"

const WaitingDock = lazy(() => import("@/features/approvals/waiting-dock"))

/** The permission requests of a conversation, including settled ones, so that the reader sees their outcome. */
export function WaitingHere({ conversation }: { conversation: string }) {
  const isAsking = useAskingConversations().has(conversation)
  const [hasAsked, setAsked] = useState(isAsking)
  if (isAsking && !hasAsked) setAsked(true)
  if (!hasAsked) return null
  return (
    <Suspense fallback={null}>
      <WaitingDock conversation={conversation} />
    </Suspense>
  )
}
