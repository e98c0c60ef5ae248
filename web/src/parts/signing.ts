/**
 * The exact bytes that are signed, identical to those of `signing.py`, `trust.py`, `devices/`, `rules/` and `budgets/` in `steer/approvals/`:
 * JSON in UTF-8, keys sorted, no spaces.
 */

import type { ApprovalAnswer, KeyShown } from "@/api/schema"
import type { AccessScope } from "./scopes"

/** Text with an unpaired surrogate has no bytes that both sides could agree on, so nobody signs it. */
export class HalfCharacter extends Error {
  constructor() {
    super("The text holds half a character, which cannot be signed.")
    this.name = "HalfCharacter"
  }
}

export type Decided = Pick<ApprovalAnswer, "behavior" | "at" | "message" | "input" | "suggestions" | "approver">

/** Returns what an approver signs to answer a request. */
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
  /** The name of a browser that is admitted. */
  name?: string
  publicKey?: KeyShown
}

/** Returns what an approver signs to change the list of approvers; `prev` is the digest of the last line of the list. */
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

interface RuleChange {
  action: "add" | "remove"
  id: string
  at: string
  by: string
  /** The rule; empty if it is removed. */
  text: string
}

/** Returns what an approver signs to change the rules; `prev` is the digest of the last line of their file. */
export function ruleEntryBytes({ action, at, by, id, text }: RuleChange, prev: string): Uint8Array<ArrayBuffer> {
  return written({ action, at, by, id, kind: "rule", prev, text, v: 1 })
}

interface Addition {
  id: string
  name: string
  scope: AccessScope
  publicKey: KeyShown
  /** The secret of the QR code. */
  secret: string
}

/** Returns what a device signs when it is paired; it names the QR code without giving its secret away. */
export async function deviceBytes({ id, name, scope, publicKey, secret }: Addition): Promise<Uint8Array<ArrayBuffer>> {
  const pairing = hex(await sha256(encoded(secret))).slice(0, 32)
  return written({ id, kind: "device", name, pairing, publicKey: { x: publicKey.x, y: publicKey.y }, scope, v: 1 })
}

interface BudgetChange {
  action: "set" | "remove"
  id: string
  at: string
  by: string
  /** The budget in its one written form; empty if it is removed. */
  text: string
}

/** Returns what an approver signs to change the budgets; `prev` is the digest of the last line of their file. */
export function budgetEntryBytes({ action, at, by, id, text }: BudgetChange, prev: string): Uint8Array<ArrayBuffer> {
  return written({ action, at, by, id, kind: "budget", prev, text, v: 1 })
}

/** Returns the id of a rule: 12 hexadecimal digits of the digest of its text. */
export async function ruleId(text: string): Promise<string> {
  return hex(await sha256(encoded(text))).slice(0, 12)
}

/** Returns the id of a key: 32 hexadecimal digits that no other key has. */
export async function fingerprint({ x, y }: KeyShown): Promise<string> {
  return hex(await sha256(encoded(`${x}.${y}`))).slice(0, 32)
}

/** base64url without padding. */
export function packed(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** The keys must be given in sorted order: `JSON.stringify` keeps the order. */
function written(value: Record<string, unknown>): Uint8Array<ArrayBuffer> {
  // An unpaired surrogate would become an escape here, but nothing in Python, so the values are checked for it.
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
