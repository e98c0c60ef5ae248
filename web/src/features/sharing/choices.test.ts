import { describe, expect, it } from "vitest"
import type { FindingShown } from "@/api/schema"
import { askedOf, EVERYTHING, utcOf, withAdded, withAllowed, withReplacement } from "./choices"

const FINDING: FindingShown = {
  placeholder: "[email-1]",
  rule: "email",
  title: "Mail address",
  kind: "personal",
  preview: "a@b.c",
  count: 2,
  is_allowed: false,
  replacement: "[email-1]",
  row: null,
}

describe("the choices of the dialog", () => {
  it("asks for everything, redacted, at first", () => {
    expect(askedOf(EVERYTHING)).toMatchObject({ format: "html", is_redacted: true, thread: null, since: null, allowed: [] })
  })

  it("keeps a finding once, and hides it again", () => {
    const kept = withAllowed(withAllowed(EVERYTHING, FINDING, true), FINDING, true)
    expect(kept.allowed).toEqual(["[email-1]"])
    expect(withAllowed(kept, FINDING, false).allowed).toEqual([])
  })

  it("sends replacements that are not empty", () => {
    const choices = withReplacement(EVERYTHING, FINDING, "the author")
    expect(askedOf(choices).replaced).toEqual([["[email-1]", "the author"]])
    expect(askedOf(withReplacement(choices, FINDING, "")).replaced).toEqual([])
  })

  it("hides a text once", () => {
    expect(withAdded(withAdded(withAdded(EVERYTHING, " Acme "), "Acme"), " ").added).toEqual(["Acme"])
  })

  it("takes local times, and nothing for an empty or broken field", () => {
    expect(utcOf("2026-03-01T10:05")).toMatch(/^2026-0[23]-\d\dT\d\d:05:00\.000Z$/)
    expect(utcOf("")).toBeNull()
    expect(utcOf("soon")).toBeNull()
  })
})
