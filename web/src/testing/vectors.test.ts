/**
 * Rules that Python and the page share, tested with the same examples: pytest reads `vectors/`, too
 * (`tests/core/test_vectors.py`).
 */

import { expect, test } from "vitest"
import activities from "./vectors/activities.json?raw"
import pictures from "./vectors/pictures.json?raw"
import replays from "./vectors/replay.json?raw"
import texts from "./vectors/safe_text.json?raw"
import signings from "./vectors/signing.json?raw"
import { seen, seenLine } from "@/blocks/text/seen"
import { type Pause, pauses, playedTimes } from "@/features/transcript/replay/pace"
import { kindOf } from "@/features/runs/pictures"
import { activityOf } from "@/parts/activity"
import { budgetEntryBytes, deviceBytes, ruleEntryBytes, ruleId } from "@/parts/signing"

const NOW = Date.parse("2026-02-03T12:00:00Z")
const PAGE_WORDS: Record<string, string> = { "waiting for permission": "waiting" }

test("a hidden character is written out as the terminal writes it", () => {
  const vectors: { text: string; safe: string; line: string }[] = JSON.parse(texts)
  expect(vectors.length).toBeGreaterThan(20)
  for (const { text, safe, line } of vectors) {
    expect(seen(text).replaceAll("\r\n", "\n")).toBe(safe)
    expect(seenLine(text)).toBe(line)
  }
})

test("a conversation does on the page what it does in lists of the terminal", () => {
  const vectors: { status: string; silent_s: number | null; doing: string }[] = JSON.parse(activities)
  expect(vectors.length).toBeGreaterThan(50)
  for (const { status, silent_s, doing } of vectors) {
    const ended_at = silent_s === null ? null : new Date(NOW - silent_s * 1000).toISOString()
    expect(activityOf({ status, ended_at, running: null }, NOW)).toBe(PAGE_WORDS[doing] ?? doing)
  }
})

test("a picture is recognised by the bytes by which the server recognises it", () => {
  const vectors: { base64: string; media_type: string | null }[] = JSON.parse(pictures)
  expect(vectors.length).toBeGreaterThan(8)
  for (const { base64, media_type } of vectors) {
    expect(kindOf(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)))).toBe(media_type)
  }
})

test("pauses are played as long as the terminal plays them", () => {
  const vectors: { at_ms: number[]; idle_ms: number | null; played_ms: number[]; pauses: Pause[] }[] = JSON.parse(replays)
  expect(vectors.length).toBeGreaterThan(5)
  for (const { at_ms, idle_ms, played_ms, pauses: found } of vectors) {
    expect(playedTimes(at_ms, idle_ms)).toEqual(played_ms)
    expect(pauses(at_ms, idle_ms)).toEqual(found)
  }
})

type Given = Parameters<typeof ruleEntryBytes>[0] & Parameters<typeof budgetEntryBytes>[0] & Parameters<typeof deviceBytes>[0]

test("what a browser signs for a rule, a budget or a device is what Python checks", async () => {
  const vectors: (Given & { kind: "rule" | "budget" | "device"; prev: string; signed: string })[] = JSON.parse(signings)
  expect(vectors.length).toBeGreaterThan(6)
  const text = new TextDecoder("utf-8", { ignoreBOM: true })
  for (const { kind, prev, signed, ...given } of vectors) {
    if (kind === "device") expect(text.decode(await deviceBytes(given))).toBe(signed)
    else expect(text.decode(kind === "rule" ? ruleEntryBytes(given, prev) : budgetEntryBytes(given, prev))).toBe(signed)
    if (kind === "rule" && given.text !== "") expect(await ruleId(given.text)).toBe(given.id)
  }
})
