import { describe, expect, it } from "vitest"
import { chipsOf, hasTerm, termsOf, withoutTerm, withTerm } from "./terms"

describe("terms side by side", () => {
  it("are split at blanks, but not in quotes, parentheses or patterns", () => {
    expect(termsOf('a  "b c" tool:"x y" -(d OR e) regex:/a b/i')).toEqual([
      "a",
      '"b c"',
      'tool:"x y"',
      "-(d OR e)",
      "regex:/a b/i",
    ])
    expect(termsOf('say "a \\" b" c')).toEqual(["say", '"a \\" b"', "c"])
    expect(termsOf("")).toEqual([])
  })

  it("are not known for other shapes", () => {
    for (const query of ["a OR b", "a -> b", "a ->3 b", "(a", "a)", '"a']) expect(termsOf(query)).toBeNull()
  })
})

describe("a term", () => {
  it("is added once, beside what is there", () => {
    expect(withTerm("", "tool:Bash")).toBe("tool:Bash")
    expect(withTerm("a b", "tool:Bash")).toBe("a b tool:Bash")
    expect(withTerm("tool:Bash a", "tool:Bash")).toBe("tool:Bash a")
  })

  it("does not change what is meant by OR", () => {
    expect(withTerm("a OR b", "tool:Bash")).toBe("(a OR b) tool:Bash")
  })

  it("narrows the last step of a sequence, which cannot be put in parentheses", () => {
    expect(withTerm("tool:Bash -> tool:Edit", "is:error")).toBe("tool:Bash -> tool:Edit is:error")
  })

  it("is taken away again", () => {
    expect(withoutTerm(withTerm("a", "tool:Bash"), "tool:Bash")).toBe("a")
    expect(withoutTerm("a OR b", "a")).toBe("a OR b")
    expect(hasTerm("a tool:Bash", "tool:Bash")).toBe(true)
    expect(hasTerm("a tool:BashOutput", "tool:Bash")).toBe(false)
  })
})

it("shows fields and figures as chips, and no words or addresses", () => {
  expect(chipsOf("login tool:Bash -branch:main cost>=5 http://x.org 12:30")).toEqual(["tool:Bash", "-branch:main", "cost>=5"])
})
