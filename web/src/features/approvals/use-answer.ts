import { useQueryClient } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { ProblemError } from "@/api/backend"
import { useBackend } from "@/api/follow"
import type { ApprovalCard } from "@/api/schema"
import { APPROVALS_KEY, APPROVERS_KEY } from "@/api/use-approvals"
import { answerOf, type Wish } from "./answering"
import { loadKey } from "@/parts/device-key"

/** The kinds of refusals which mean that the request has changed since it was shown. */
const OVER = ["settled", "gone", "unknown", "changed"]

interface Listeners {
  onAnswered: (card: ApprovalCard) => void
  onLate: (id: string) => void
}

/** Answers a card, one answer at a time. `trouble` says why the last answer was not accepted. */
export function useAnswer(card: ApprovalCard, mayApprove: boolean, { onAnswered, onLate }: Listeners) {
  const backend = useBackend()
  const cache = useQueryClient()
  const [isAnswering, setAnswering] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  // A second press may come before the first one is rendered.
  const isUnderWay = useRef(false)

  const answer = async (wish: Wish): Promise<void> => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    setAnswering(true)
    setTrouble(null)
    try {
      const signer = mayApprove ? await loadKey() : null
      onAnswered(await backend.answer(card.id, await answerOf(card, wish, signer, new Date())))
    } catch (error) {
      const kind = error instanceof ProblemError ? error.kind : ""
      if (OVER.includes(kind)) onLate(card.id)
      if (kind === "not_allowed") void cache.invalidateQueries({ queryKey: APPROVERS_KEY })
      setTrouble(kind === "unreachable" ? UNKNOWN : error instanceof Error ? error.message : "The answer was not accepted.")
    } finally {
      await cache.invalidateQueries({ queryKey: APPROVALS_KEY })
      isUnderWay.current = false
      setAnswering(false)
    }
  }
  return { answer, isAnswering, trouble }
}

const UNKNOWN = "Chorus does not answer, so it is not known whether your answer came through. The card will show it."
