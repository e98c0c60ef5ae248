import { useCallback, useState } from "react"
import { isOf } from "@/api/asking"
import type { ApprovalCard } from "@/api/schema"
import { usePending, useSettled } from "@/api/use-approvals"
import { type Entry, isOpen, nextEntries, withAnswered } from "./card-list"

const NONE: readonly ApprovalCard[] = []

/** The cards on display: of one conversation, or of all. A settled card stays in its place, and shows its outcome. */
export function useCards(conversation: string | null) {
  const pending = usePending()
  const [entries, setEntries] = useState<readonly Entry[]>([])
  const [late, setLate] = useState<ReadonlySet<string>>(() => new Set())
  const isAsked = entries.some(({ card, isWaiting }) => !isWaiting && isOpen(card))
  const settled = useSettled(conversation === null || isAsked)

  const cards = pending.data?.cards ?? NONE
  const mine = conversation === null ? cards : cards.filter((card) => isOf(card, conversation))
  const next = pending.data === undefined ? entries : nextEntries(entries, mine, settled.data ?? NONE)
  if (next !== entries) setEntries(next)

  return {
    entries: next,
    late,
    pending,
    settled,
    answered: useCallback((card: ApprovalCard) => setEntries((before) => withAnswered(before, card)), []),
    cameLate: useCallback((id: string) => setLate((before) => new Set(before).add(id)), []),
    dismiss: useCallback((id: string) => setEntries((before) => before.filter(({ card }) => card.id !== id)), []),
  }
}
