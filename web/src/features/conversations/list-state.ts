/** The conversations on display: loaded pages, with changes merged into them. Pure. */

import type { Changed, ConversationList, ConversationSummary } from "@/api/schema"

export interface ListState {
  items: readonly ConversationSummary[]
  hasMore: boolean
  isPartial: boolean
  /** Whether the most recently active conversation comes first; only the server can make every other order. */
  isByTime: boolean
  epoch: string
  /** The position in the feed up to which changes are included. */
  seq: number
}

/** Newest activity first, as the server orders them. */
export function byActivity(a: ConversationSummary, b: ConversationSummary): number {
  if (a.ended_at !== b.ended_at) {
    if (a.ended_at === null) return 1
    if (b.ended_at === null) return -1
    return a.ended_at > b.ended_at ? -1 : 1
  }
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

export function firstPage(page: ConversationList, isByTime = true): ListState {
  return {
    items: page.conversations,
    hasMore: page.has_more,
    isPartial: page.is_partial,
    isByTime,
    epoch: page.epoch,
    seq: page.seq,
  }
}

/** Returns the list with the next page added. A conversation that moved between two pages is in the list once. */
export function withPage(list: ListState, page: ConversationList): ListState {
  const known = new Set(list.items.map(({ name }) => name))
  const fresh = page.conversations.filter(({ name }) => !known.has(name))
  return {
    ...list,
    items: ordered(list, [...list.items, ...fresh]),
    hasMore: page.has_more,
    isPartial: list.isPartial || page.is_partial,
    seq: Math.min(list.seq, page.seq),
  }
}

/** Returns the list without a deleted conversation. */
export function without(list: ListState, name: string): ListState {
  return { ...list, items: list.items.filter((each) => each.name !== name) }
}

function ordered(list: ListState, items: ConversationSummary[]): ConversationSummary[] {
  return list.isByTime ? items.toSorted(byActivity) : items
}

interface Merged {
  list: ListState
  /** Whether conversations changed for which only the server knows if they match the filter. */
  isAskedAgain: boolean
}

/** Returns the list with these changes; changes that are already included are left out. */
export function withChanges(list: ListState, frames: readonly Changed[], isFiltered: boolean): Merged {
  const fresh = frames.filter((frame) => frame.seq > list.seq)
  const last = fresh.at(-1)
  if (last === undefined) return { list, isAskedAgain: false }

  const changed = new Map<string, ConversationSummary | null>()
  for (const frame of fresh) {
    for (const summary of frame.conversations) changed.set(summary.name, summary)
    for (const name of frame.gone) changed.set(name, null)
  }

  let isAskedAgain = false
  const items: ConversationSummary[] = []
  for (const item of list.items) {
    const now = changed.get(item.name)
    if (now === undefined) items.push(item)
    else if (now !== null) {
      items.push(now)
      // It may have another position in the list now.
      if (!list.isByTime) isAskedAgain = true
    }
    changed.delete(item.name)
  }
  const end = list.hasMore ? list.items.at(-1) : undefined
  for (const summary of changed.values()) {
    if (summary === null) continue
    if (isFiltered || !list.isByTime) isAskedAgain = true
    // After the end of the loaded part, it comes with its page.
    else if (end === undefined || byActivity(summary, end) < 0) items.push(summary)
  }
  return { list: { ...list, items: ordered(list, items), seq: last.seq }, isAskedAgain }
}
