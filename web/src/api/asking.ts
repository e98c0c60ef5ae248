/** Finds out which conversation a permission request belongs to. Pure. */

import type { ApprovalCard } from "./schema"

/** The conversations in which requests wait. */
export type Asking = Pick<ReadonlySet<string>, "has">

/**
 * Whether a request belongs to a conversation: compares its name or, while it has none yet, the session id at the end
 * of the name.
 */
export function isOf({ conversation, session }: Pick<ApprovalCard, "conversation" | "session">, name: string): boolean {
  return conversation === null ? session !== "" && name.split("/").at(-1) === session : conversation === name
}

export function askingOf(cards: readonly ApprovalCard[]): Asking {
  return { has: (name) => cards.some((card) => isOf(card, name)) }
}
