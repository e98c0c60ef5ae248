import { expect, it } from "vitest"
import type { LookedFor } from "@/api/schema"
import { lookedForInWords } from "./looked-for"

const term = (over: Partial<LookedFor>): LookedFor => ({
  term: "word",
  how: "words",
  words: ["word"],
  is_id: false,
  is_excluded: false,
  ...over,
})

it("says nothing of plain words", () => {
  expect(lookedForInWords({ is_loose: false, looked_for: [term({})] })).toBe("")
})

it("says what was looked for exactly, by its beginning, by its words, and not at all", () => {
  const exact = term({ term: "C++", how: "exactly", words: ["c"] })
  const hash = term({ term: "9f8e7d6", how: "beginning", words: ["9f8e7d6"] })
  expect(lookedForInWords({ is_loose: false, looked_for: [exact, hash] })).toBe(
    "C++ exactly as typed · words that begin with 9f8e7d6",
  )
  const loose = term({ term: "C++", words: ["c"] })
  const not = term({ term: "=>", how: "not", words: [] })
  expect(lookedForInWords({ is_loose: true, looked_for: [loose, not] })).toBe(
    "Nothing has this exactly as typed; these have its words · C++ as c · " +
      "=> was not looked for: it has no letters, digits or signs beyond ASCII",
  )
})
