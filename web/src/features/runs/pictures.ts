/**
 * Pictures for an agent. Their type is recognised by their first bytes, as on the server, and their size is limited to
 * what one message may have. Pure.
 */

import { size } from "@/blocks/text/figures"

export interface ChosenPicture {
  id: string
  name: string
  /** The file of the picture, which the browser stores over a reload. */
  file: File
  /** The address of the picture on this page. */
  address: string
  /** Base 64. */
  data: string
  bytes: number
}

export const MAX_PICTURES = 20
/** The limit for all pictures of one message: what a request may contain in base64, with room for its text. */
export const LARGEST_BYTES = 16 << 20
/** The types offered when choosing a file; the bytes decide what it really is. */
export const TAKEN = "image/png,image/jpeg,image/gif,image/webp"

const MARKS: readonly (readonly [string, readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38, 0x37, 0x61]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38, 0x39, 0x61]],
]

export function kindOf(bytes: Uint8Array): string | null {
  const known = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))
  if (known !== undefined) return known[0]
  return ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP" ? "image/webp" : null
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to))
}

const STEP = 0x8000

export function inBase64(bytes: Uint8Array): string {
  let text = ""
  for (let from = 0; from < bytes.length; from += STEP) text += String.fromCharCode(...bytes.subarray(from, from + STEP))
  return btoa(text)
}

/** Returns why a picture cannot be added to the chosen ones; null if it can. */
export function faultOf(chosen: readonly Pick<ChosenPicture, "bytes">[], name: string, bytes: number): string | null {
  if (chosen.length >= MAX_PICTURES) return `A message can have ${MAX_PICTURES} pictures; “${name}” is one too many.`
  const all = chosen.reduce((sum, each) => sum + each.bytes, bytes)
  if (all <= LARGEST_BYTES) return null
  const beside = chosen.length === 0 ? "" : " with the others"
  return `“${name}” is too large${beside}: ${size(all)}, and a message can have ${size(LARGEST_BYTES)}.`
}
