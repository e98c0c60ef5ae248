/** The cards on display: in the order they came, each in its place until the reader leaves or puts it away. Pure. */

import type { ApprovalCard } from "@/api/schema"

export interface Entry {
  card: ApprovalCard
  /** Whether it still waits. A card that no longer does may not be known otherwise yet. */
  isWaiting: boolean
}

/**
 * What is on display next: those that were, as they are now, then those that are new.
 *
 * When one comes while none waits, only the last of what is over stays: else what waits would soon be below the edge.
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

/** Whether it may still become known what really became of it: then its card changes once more. */
export function isOpen({ state, effect, note }: ApprovalCard): boolean {
  if (state === "approved" || state === "denied") return effect === "sent"
  return state !== "answered" || note === null || !/: (allowed|denied)/.test(note)
}

/** What ended stays ended, whatever an older answer of the server says; only what came of it is added. */
function stands(entry: Entry, waiting: Map<string, ApprovalCard>, over: Map<string, ApprovalCard>): Entry {
  const { id, state } = entry.card
  const card = over.get(id)
  if (state !== "pending") return card === undefined || card === entry.card || !isOpen(entry.card) ? entry : { card, isWaiting: false }
  if (card !== undefined) return { card, isWaiting: false }
  const now = waiting.get(id)
  if (now === undefined) return entry.isWaiting ? { ...entry, isWaiting: false } : entry
  return now === entry.card && entry.isWaiting ? entry : { card: now, isWaiting: true }
}

/** With this card as it was answered. */
export function withAnswered(entries: readonly Entry[], card: ApprovalCard): readonly Entry[] {
  return entries.map((entry) => (entry.card.id === card.id ? { card, isWaiting: false } : entry))
}
