/**
 * The key of this browser: created here, stored by the browser, and readable by nobody, including this page. It can
 * only sign. There is one for each browser profile and address of Chorus.
 */

import type { KeyShown } from "@/api/schema"
import { inStore } from "@/ui/browser-store"
import { fingerprint, packed } from "./signing"

const PLACE = { database: "chorus", store: "keys" }
const NAME = "approver"
const IN_PAIRING = "in pairing"
const CURVE = { name: "ECDSA", namedCurve: "P-256" }
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" }

export class DeviceKey {
  readonly id: string
  readonly publicKey: KeyShown
  /** Whether it belongs to a paired device, which can ask to approve with this key alone. */
  readonly isPaired: boolean
  readonly #privateKey: CryptoKey

  constructor(id: string, { publicKey, privateKey, isPaired }: { publicKey: KeyShown; privateKey: CryptoKey; isPaired: boolean }) {
    this.id = id
    this.publicKey = publicKey
    this.isPaired = isPaired
    this.#privateKey = privateKey
  }

  /** Returns the 64 bytes r‖s, base64url. */
  async sign(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    return packed(new Uint8Array(await crypto.subtle.sign(SIGNATURE, this.#privateKey, bytes)))
  }
}

/** Returns the key that was created here before; null if there is none, or if this browser stores none. */
export async function loadKey(): Promise<DeviceKey | null> {
  try {
    const kept = await stored(NAME)
    return kept && (await keyOf(kept))
  } catch {
    return null
  }
}

/** Creates a new key, which replaces the former one. */
export function makeKey(): Promise<DeviceKey> {
  return made(NAME, false)
}

/**
 * Creates a key for a pairing. The former key stays until `keepPairedKey`, because the pairing may be refused. Rejects
 * if this browser stores no keys.
 */
export function makeKeyToPair(): Promise<DeviceKey> {
  return made(IN_PAIRING, true)
}

/** Makes the key of the pairing, which was confirmed, the key of this browser. */
export async function keepPairedKey(): Promise<void> {
  const kept = await stored(IN_PAIRING)
  if (kept === null) throw new Error("This browser did not keep the key of the pairing.")
  await inStore(PLACE, "readwrite", (store) => store.put(kept, NAME))
  await inStore(PLACE, "readwrite", (store) => store.delete(IN_PAIRING))
}

/** Whether this browser can have a key at all: not on a page that was loaded over an unencrypted network connection. */
export function canHaveKey(): boolean {
  return globalThis.isSecureContext && typeof indexedDB === "object" && typeof crypto.subtle === "object"
}

interface Pair {
  publicKey: CryptoKey
  privateKey: CryptoKey
  isPaired?: boolean
}

async function made(name: string, isPaired: boolean): Promise<DeviceKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(CURVE, false, ["sign"])
  const pair: Pair = { publicKey, privateKey, isPaired }
  await inStore(PLACE, "readwrite", (store) => store.put(pair, name))
  return keyOf(pair)
}

async function stored(name: string): Promise<Pair | null> {
  const kept = await inStore<unknown>(PLACE, "readonly", (store) => store.get(name))
  return isPair(kept) ? kept : null
}

function isPair(value: unknown): value is Pair {
  if (typeof value !== "object" || value === null || !("publicKey" in value) || !("privateKey" in value)) return false
  return value.publicKey instanceof CryptoKey && value.privateKey instanceof CryptoKey && !value.privateKey.extractable
}

async function keyOf({ publicKey, privateKey, isPaired }: Pair): Promise<DeviceKey> {
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", publicKey)
  return new DeviceKey(await fingerprint({ x, y }), { publicKey: { x, y }, privateKey, isPaired: isPaired === true })
}
