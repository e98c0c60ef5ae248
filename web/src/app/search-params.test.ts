import { expect, it } from "vitest"
import { allOf, oneOf, parsedSearch, writtenSearch } from "./search-params"

it("keeps words as words, whatever they look like", () => {
  for (const q of ["123", "true", '"quoted"', "null", "[1]", "a b&c=d", "tool:Bash is:error", "ä🚦"]) {
    expect(oneOf(parsedSearch(writtenSearch({ q })), "q")).toBe(q)
  }
})

it("leaves out what is empty, and repeats lists", () => {
  expect(writtenSearch({ q: "", at: undefined, branch: ["a", "b"] })).toBe("?branch=a&branch=b")
  expect(writtenSearch({})).toBe("")
  expect(allOf(parsedSearch("?branch=a&branch=b"), "branch")).toEqual(["a", "b"])
  expect(allOf(parsedSearch("?branch=a"), "branch")).toEqual(["a"])
  expect(allOf({}, "branch")).toBeUndefined()
})
