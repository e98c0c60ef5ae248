/** The cards on display: in the order of their arrival, each in its place until the reader leaves or dismisses it. Pure. */

import type { ApprovalCard } from "@/api/schema"

export interface Entry {
  card: ApprovalCard
  /** Whether it is still open. If it is not, its outcome may not be known yet. */
  isWaiting: boolean
}

/**
 * Returns the next state of the list: the cards on display with their current content, then new ones.
 *
 * If a card arrives while none is open, only the last settled one stays, so that the new card is not below the edge of
 * the view.
 */
export function nextEntries(
  before: readonly Entry[],
  pending: readonly ApprovalCard[],
  settled: readonly ApprovalCard[],
): readonly Entry[] {
  const waiting = new Map(pending.map((card) => [card.id, card]))
  const over = new Map(settled.map((card) => [card.id, card]))
  const known = new Set(before.map(({ card }) => card.id))
  const there = before.map((entry) => stands(entry, waiting, over))
  const fresh = pending.filter(({ id }) => !known.has(id)).map((card) => ({ card, isWaiting: true }))
  const isNews = fresh.length > 0 && !there.some(({ isWaiting }) => isWaiting)
  const next = [...(isNews ? there.slice(-1) : there), ...fresh]
  const isSame = next.length === before.length && next.every((entry, index) => entry === before[index])
  return isSame ? before : next
}

/** Whether its real outcome may still become known: then its card changes once more. */
export function isOpen({ state, effect, note }: ApprovalCard): boolean {
  if (state === "approved" || state === "denied") return effect === "sent"
  return state !== "answered" || note === null || !/: (allowed|denied)/.test(note)
}

/** A settled card stays settled, whatever an older response of the server says; only its effect is added. */
function stands(entry: Entry, waiting: Map<string, ApprovalCard>, over: Map<string, ApprovalCard>): Entry {
  const { id, state } = entry.card
  const card = over.get(id)
  if (state !== "pending") return card === undefined || card === entry.card || !isOpen(entry.card) ? entry : { card, isWaiting: false }
  if (card !== undefined) return { card, isWaiting: false }
  const now = waiting.get(id)
  if (now === undefined) return entry.isWaiting ? { ...entry, isWaiting: false } : entry
  return now === entry.card && entry.isWaiting ? entry : { card: now, isWaiting: true }
}

/** Returns the list with this card as it was answered. */
export function withAnswered(entries: readonly Entry[], card: ApprovalCard): readonly Entry[] {
  return entries.map((entry) => (entry.card.id === card.id ? { card, isWaiting: false } : entry))
}
