/**
 * What exactly is signed, byte for byte as `steer/approvals/signing.py` and `steer/approvals/trust.py` write it: JSON in UTF-8, keys
 * sorted, no blanks.
 */

import type { ApprovalAnswer, KeyShown } from "@/api/schema"

/** Text with half a character in it has no bytes that two could agree on, so nobody signs it. */
export class HalfCharacter extends Error {
  constructor() {
    super("The text holds half a character, which cannot be signed.")
    this.name = "HalfCharacter"
  }
}

export type Decided = Pick<ApprovalAnswer, "behavior" | "at" | "message" | "input" | "suggestions" | "approver">

/** What an approver signs to answer a request. */
export async function signedBytes(request: string, digest: string, decided: Decided): Promise<Uint8Array<ArrayBuffer>> {
  const { approver, at, behavior, input, message, suggestions } = decided
  return written({
    approver,
    at,
    behavior,
    digest,
    input: input === null ? null : hex(await sha256(encoded(input))),
    message,
    request,
    suggestions,
    v: 1,
  })
}

interface Change {
  action: "add" | "remove"
  id: string
  at: string
  by: string
  /** Of a browser that is let in. */
  name?: string
  publicKey?: KeyShown
}

/** What an approver signs to change who may approve; `prev` is the digest of the list's last line. */
export function entryBytes({ action, at, by, id, name = "", publicKey }: Change, prev: string): Uint8Array<ArrayBuffer> {
  return written({
    action,
    at,
    by,
    id,
    kind: publicKey === undefined ? null : "browser",
    name,
    prev,
    publicKey: publicKey === undefined ? null : { x: publicKey.x, y: publicKey.y },
    salt: null,
    v: 1,
  })
}

/** The name of a key: 32 hex digits that no other key has. */
export async function fingerprint({ x, y }: KeyShown): Promise<string> {
  return hex(await sha256(encoded(`${x}.${y}`))).slice(0, 32)
}

/** base64url without padding. */
export function packed(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** The keys have to be given in their order: `JSON.stringify` leaves it. */
function written(value: Record<string, unknown>): Uint8Array<ArrayBuffer> {
  // Half a character would come out as an escape here, and as nothing at all in Python: it is looked for in the values.
  for (const each of Object.values(value)) if (typeof each === "string") encoded(each)
  return encoded(JSON.stringify(value))
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  if (/\p{Surrogate}/u.test(text)) throw new HalfCharacter()
  return new TextEncoder().encode(text)
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
