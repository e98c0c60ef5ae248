import { expect, it } from "vitest"
import { hit } from "@/testing/summaries"
import { answerInWords } from "./answer-in-words"

const page = { hits: [hit(2), hit(1)], described: [], next: null, is_partial: false, looked_to: null, is_spread: false, took_ms: 7.4 }

it("counts what was found, and says when there is more", () => {
  expect(answerInWords([page])).toBe("2 hits · 7 ms")
  expect(answerInWords([{ ...page, next: 1 }])).toBe("2+ hits · 7 ms")
  expect(answerInWords([{ ...page, next: 1 }, page])).toBe("4 hits · 7 ms")
})

it("says what was not looked at, and when no entry has all the words", () => {
  expect(answerInWords([{ ...page, is_partial: true }])).toContain("not everything was searched")
  const cut = { ...page, is_partial: true, looked_to: "2026-03-01T10:00:00.000Z" }
  expect(answerInWords([cut])).toContain("searched back to 2026-03-01")
  expect(answerInWords([cut, page])).not.toContain("looked")
  expect(answerInWords([{ ...page, is_spread: true }])).toContain("2 conversations with the words in different places")
})

it("counts conversations that only a title, tag or note led to", () => {
  expect(answerInWords([{ ...page, hits: [], described: [hit(1).conversation] }])).toBe("1 conversation by title, tag or note")
})

it("leaves it to the page to say that there is nothing", () => {
  expect(answerInWords([{ ...page, hits: [] }])).toBe("")
  expect(answerInWords([])).toBe("")
})
