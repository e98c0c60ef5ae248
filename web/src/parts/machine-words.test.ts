import { expect, it } from "vitest"
import { inWords } from "./machine-words"

it("writes the words of programs as people do, and leaves all else", () => {
  expect(inWords("max_tokens")).toBe("stopped at the limit of tokens")
  expect(inWords("some_new_state")).toBe("some new state")
  expect(inWords("refusal")).toBe("refusal")
  expect(inWords("a sentence with a_name")).toBe("a sentence with a_name")
  expect(inWords("constructor")).toBe("constructor")
})
