import { describe, expect, it } from "vitest"
import { type Decided, deviceBytes, entryBytes, fingerprint, HalfCharacter, packed, signedBytes } from "./signing"

// Written by `steer/approvals/signing.py` and `steer/approvals/trust.py`, the signatures by a key of theirs.
const KEY = { x: "chwrbcBJqdjjRRwVTOCC6QyWCQ36T3yUgKxGR20YXp4", y: "5Q1nHsVGfld8Cj4_Ar1AnhcNbtU6NrGmtK17yFnoxj8" }
const ID = "4ee9506bc61f2fb0932f744e7f7850d6"
const AT = "2026-02-03T04:05:06.789Z"
const REQUEST = "f".repeat(32)
const DIGEST = `${"0".repeat(63)}a`
const HOSTILE =
  'no: "quoted" \\ back/slash \u2028\u2029 \u0000\b\f\u001f\u007f\u0085 \t\r\n ümlaut 😀 \ufeff </script> \u202e'

const DECIDED: Decided = { behavior: "allow", at: AT, message: "", input: null, suggestions: [], approver: ID }

const DECISIONS: readonly [string, Decided, string, string][] = [
  [
    "a denial with hostile text",
    { ...DECIDED, behavior: "deny", message: HOSTILE },
    "0a7b229f875597335863c7fbd61c1ea64bbea374c33da88691d4dc7d56590a2f",
    "iC_G_kOCiAioKayF_8VrRoB6AnQRF2ZMAkJ79QhY3IceHAO-R_PgBk13FyjabeHdxr7Mjo-fZ5oAk1kTxENEhg",
  ],
  [
    "an approval",
    DECIDED,
    "9da37e1da31b4daa6cd865fa0620a70a4cbfed4f9e56580d5592e8f3a231551c",
    "1tiF2AUMz7UihcJeZbc9ivPAS20nCTYYITd8jYko1_H5fLMnnIK8Wy6YomPW5CK0ejMrS_geFc4wDRQRQ3WyYw",
  ],
  [
    "a changed input and two suggestions",
    { ...DECIDED, input: '{"command":"echo 😀\u2028"}', suggestions: [2, 0] },
    "c85b61d67c49dd651593ec0ba9946b517eba412fd4effdb7fd9519a11078a739",
    "pm2nuBhAepn832VETzPsApyv8QgcKDMw_oY0nhu_xs7zp2gh3YFwg2HYPL3EyKNjm3Gs9l08ULa4iBVxP-B7lA",
  ],
  [
    "a denial in nobody's name",
    { ...DECIDED, behavior: "deny", at: "x", approver: null },
    "e242c16e5870a99fed561bfec10d484b0d61f74d77fefc962684a749ef639049",
    "_KYWXHneEi9UnLBsG34kzKx5g8iWTJeUg9kCxNEno2AXZuUNmhAMSsLmQ5lJiYH0UfmMOKPB7qfpS9D5uezYKA",
  ],
]

describe("what is signed to answer", () => {
  it.each(DECISIONS)("is what Python signs: %s", async (_, decided, digest, signature) => {
    const bytes = await signedBytes(REQUEST, DIGEST, decided)
    expect(await digestOf(bytes)).toBe(digest)
    expect(await holds(bytes, signature)).toBe(true)
  })

  it("is JSON with its keys sorted and without blanks", async () => {
    expect(new TextDecoder().decode(await signedBytes(REQUEST, DIGEST, DECIDED))).toBe(
      `{"approver":"${ID}","at":"${AT}","behavior":"allow","digest":"${DIGEST}","input":null,"message":"",` +
        `"request":"${REQUEST}","suggestions":[],"v":1}`,
    )
  })

  it.each(["message", "input"] as const)("is refused for half a character in the %s", async (place) => {
    await expect(signedBytes(REQUEST, DIGEST, { ...DECIDED, [place]: "{} \ud83d" })).rejects.toThrow(HalfCharacter)
  })

  it("holds for nothing else: another byte, another signature", async () => {
    const [, decided, , signature] = DECISIONS[1] ?? expect.fail()
    const bytes = await signedBytes(REQUEST, DIGEST, { ...decided, suggestions: [0] })
    expect(await holds(bytes, signature)).toBe(false)
  })
})

describe("what is signed to change who may approve", () => {
  it("is what Python signs for somebody who comes", async () => {
    const change = { action: "add", id: ID, at: AT, by: "b".repeat(32), name: 'Ada\u2028 "phone" 😀', publicKey: KEY } as const
    const bytes = entryBytes(change, "c".repeat(64))
    expect(await digestOf(bytes)).toBe("009197ca0f895a915c66f5e784980ec071751416fb3651274f80d6e6e2e6cd50")
  })

  it("is what Python signs for somebody who goes", async () => {
    const bytes = entryBytes({ action: "remove", id: ID, at: AT, by: "b".repeat(32) }, "c".repeat(64))
    expect(await digestOf(bytes)).toBe("cccfbed0c36d45dac4d0a65536bfc283c039520a48c98eeeee7d13f38143587b")
  })

  it("is refused for half a character in the name", () => {
    const change = { action: "add", id: ID, at: AT, by: "", name: "\udc00", publicKey: KEY } as const
    expect(() => entryBytes(change, "")).toThrow(HalfCharacter)
  })
})

it("is what Python signs for a device that is paired", async () => {
  const bytes = await deviceBytes({ id: ID, name: 'Ada\u2028 "phone" 😀', scope: "steer", publicKey: KEY, secret: "a-secret_1" })
  expect(await digestOf(bytes)).toBe("5d7924fa035bd57f359ba92ef58431afc642a44f94feed60faab871f7e6f1c99")
})

it("names a key as Python does", async () => {
  expect(await fingerprint(KEY)).toBe(ID)
})

it("packs bytes as base64url without padding", () => {
  expect(packed(new Uint8Array([0xfb, 0xff, 0xfe, 0x01]))).toBe("-__-AQ")
})

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

async function holds(bytes: Uint8Array<ArrayBuffer>, signature: string): Promise<boolean> {
  const jwk = { kty: "EC", crv: "P-256", ...KEY }
  const key = await crypto.subtle.importKey("jwk", jwk, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"])
  const raw = Uint8Array.from(atob(signature.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0))
  return crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, raw, bytes)
}
