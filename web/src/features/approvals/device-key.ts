/**
 * The key of this browser: created here, stored by the browser, and readable by nobody, including this page. It can
 * only sign. There is one for each browser profile and address of Chorus.
 */

import type { KeyShown } from "@/api/schema"
import { inStore } from "@/ui/browser-store"
import { fingerprint, packed } from "./signing"

const PLACE = { database: "chorus", store: "keys" }
const NAME = "approver"
const CURVE = { name: "ECDSA", namedCurve: "P-256" }
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" }

export class DeviceKey {
  readonly id: string
  readonly publicKey: KeyShown
  readonly #privateKey: CryptoKey

  constructor(id: string, publicKey: KeyShown, privateKey: CryptoKey) {
    this.id = id
    this.publicKey = publicKey
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
    const kept = await inStore<unknown>(PLACE, "readonly", (store) => store.get(NAME))
    return isPair(kept) ? await keyOf(kept) : null
  } catch {
    return null
  }
}

/** Creates a new key, which replaces the former one. */
export async function makeKey(): Promise<DeviceKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(CURVE, false, ["sign"])
  const key = await keyOf({ publicKey, privateKey })
  await inStore(PLACE, "readwrite", (store) => store.put({ publicKey, privateKey }, NAME))
  return key
}

/** Whether this browser can have a key at all: not on a page that was loaded over an unencrypted network connection. */
export function canHaveKey(): boolean {
  return globalThis.isSecureContext && typeof indexedDB === "object"
}

interface Pair {
  publicKey: CryptoKey
  privateKey: CryptoKey
}

function isPair(value: unknown): value is Pair {
  if (typeof value !== "object" || value === null || !("publicKey" in value) || !("privateKey" in value)) return false
  return value.publicKey instanceof CryptoKey && value.privateKey instanceof CryptoKey && !value.privateKey.extractable
}

async function keyOf({ publicKey, privateKey }: Pair): Promise<DeviceKey> {
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", publicKey)
  return new DeviceKey(await fingerprint({ x, y }), { x, y }, privateKey)
}
