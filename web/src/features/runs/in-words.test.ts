import { expect, test } from "vitest"
import { run } from "@/testing/runs"
import { agentInWords, asSentence, endingInWords, isBusy, modeInWords, settingsInWords, stateInWords } from "./in-words"

test("every state has its words", () => {
  expect(stateInWords("waiting")).toBe("Waiting for you")
  expect(isBusy("running")).toBe(true)
  expect(isBusy("waiting")).toBe(true)
  expect(isBusy("idle")).toBe(false)
})

test("model and mode are short, and what nobody knows stays as it is", () => {
  expect(settingsInWords({ model: "claude-opus-4-5-20251101", mode: "plan" })).toBe("Opus 4.5 · plan first")
  expect(settingsInWords({ model: "", mode: "" })).toBe("usual model · as usual")
  expect(modeInWords("constructor")).toBe("constructor")
  expect(agentInWords({ name: "ada", model: null, mode: "plan" })).toBe("ada · plan first")
})

test("what stands by itself is a sentence", () => {
  expect(["stopped", "It is over.", "why?"].map(asSentence)).toEqual(["Stopped.", "It is over.", "Why?"])
})

test("an ending is written out: nothing in it acts", () => {
  expect(endingInWords(run("a", { state: "ended", ending: "exit \u202e1\n<b>" }))).toBe("exit \\u{202e}1 <b>")
  expect(endingInWords(run("a", { state: "lost" }))).toContain("Lost")
})
