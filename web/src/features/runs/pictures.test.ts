import { expect, test } from "vitest"
import { faultOf, inBase64, kindOf, LARGEST_BYTES, MAX_PICTURES } from "./pictures"

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

test("what a picture is, its first bytes say", () => {
  expect(kindOf(bytesOf("\x89PNG\r\n\x1a\nrest"))).toBe("image/png")
  expect(kindOf(bytesOf("\xff\xd8\xff\xe0"))).toBe("image/jpeg")
  expect(kindOf(bytesOf("GIF89a"))).toBe("image/gif")
  expect(kindOf(bytesOf("RIFF\0\0\0\0WEBPVP8 "))).toBe("image/webp")
  expect(kindOf(bytesOf("RIFF\0\0\0\0WAVE"))).toBeNull()
  expect(kindOf(bytesOf("<svg onload=alert(1)>"))).toBeNull()
  expect(kindOf(bytesOf(""))).toBeNull()
})

test("long pictures are packed as short ones are", () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251)
  expect(Uint8Array.from(atob(inBase64(bytes)), (character) => character.charCodeAt(0))).toEqual(bytes)
  expect(inBase64(bytesOf("hi"))).toBe("aGk=")
})

test("too much is told with the numbers", () => {
  expect(faultOf([], "a.png", LARGEST_BYTES)).toBeNull()
  expect(faultOf([], "a.png", LARGEST_BYTES + 1)).toContain("“a.png” is too large")
  expect(faultOf([{ bytes: LARGEST_BYTES }], "b.png", 1)).toContain("with the others")
  expect(faultOf(Array.from({ length: MAX_PICTURES }, () => ({ bytes: 1 })), "c.png", 1)).toContain("one too many")
})
