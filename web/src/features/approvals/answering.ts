/** The decision of a person, as an answer to exactly the card that they saw. */

import type { ApprovalAnswer, ApprovalCard } from "@/api/schema"
import { type Decided, signedBytes } from "@/parts/signing"

export type Wish =
  | { behavior: "allow"; input: string | null; suggestions: readonly number[] }
  | { behavior: "deny"; message: string }

/** The approver that signs. */
export interface Signer {
  id: string
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<string>
}

/** Returns the answer, signed if there is a signer. Anybody can deny, in that case without a name. */
export async function answerOf(
  card: Pick<ApprovalCard, "id" | "digest">,
  wish: Wish,
  signer: Signer | null,
  at: Date,
): Promise<ApprovalAnswer> {
  const decided: Decided = {
    behavior: wish.behavior,
    at: at.toISOString(),
    message: wish.behavior === "deny" ? wish.message.trim() : "",
    input: wish.behavior === "allow" ? wish.input : null,
    suggestions: wish.behavior === "allow" ? wish.suggestions.toSorted((a, b) => a - b) : [],
    approver: signer?.id ?? null,
  }
  const bytes = await signedBytes(card.id, card.digest, decided)
  return { ...decided, digest: card.digest, signature: (await signer?.sign(bytes)) ?? null }
}

/** Returns what is wrong with a changed input, or null if it can be sent. It must be one JSON object, as tools take it. */
export function faultOf(input: string): string | null {
  let value: unknown
  try {
    value = JSON.parse(input)
  } catch (error) {
    return `That is no JSON: ${error instanceof Error ? error.message : "it cannot be read"}`
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "It has to be one JSON object: { … }"
  return /\p{Surrogate}/u.test(input) ? "It holds half a character." : null
}

/** Returns the input to run instead, or null if nothing was changed. A text field knows only one kind of line end. */
export function changedInput(asked: string, text: string): string | null {
  return text === asked || text === asked.replace(/\r\n?/g, "\n") ? null : text
}
