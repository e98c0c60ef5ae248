/** Whose a permission request is. Pure. */

import type { ApprovalCard } from "./schema"

/** The conversations in which requests wait. */
export type Asking = Pick<ReadonlySet<string>, "has">

/** Whether a request is of a conversation: by its name, or, while it has none yet, by the session that a name ends with. */
export function isOf({ conversation, session }: Pick<ApprovalCard, "conversation" | "session">, name: string): boolean {
  return conversation === null ? session !== "" && name.split("/").at(-1) === session : conversation === name
}

export function askingOf(cards: readonly ApprovalCard[]): Asking {
  return { has: (name) => cards.some((card) => isOf(card, name)) }
}
