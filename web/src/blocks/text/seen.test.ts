import { describe, expect, it } from "vitest"
import { seen, seenLine, seenParts, seenInProse } from "./seen"

describe("seen", () => {
  it("leaves ordinary text of any script as it is", () => {
    for (const text of ["", "ls -la\n\tx", "Grüße, 日本語, עברית", "👩‍💻 ok ❤️"]) expect(seen(text)).toBe(text)
  })

  it("writes out controls, escapes and what turns the order around", () => {
    expect(seen("a\x1b[31mb")).toBe("a\\x1b[31mb")
    expect(seen("rm \u202e x")).toBe("rm \\u{202e} x")
    expect(seen("a\u200bb\ufeff")).toBe("a\\u{200b}b\\u{feff}")
    expect(seen("\u{e0041}")).toBe("\\u{e0041}")
    expect(seen("a\rb")).toBe("a\\x0db")
    expect(seen("a\u200db")).toBe("a\\u{200d}b")
  })

  it("shows half a character as U+FFFD and keeps whole ones", () => {
    expect(seen("\ud800x😀")).toBe("\ufffdx😀")
  })

  it("marks the parts that cannot be seen", () => {
    expect(seenParts("a\u202eb")).toEqual([
      { text: "a", isMark: false },
      { text: "\\u{202e}", isMark: true },
      { text: "b", isMark: false },
    ])
    expect(seenParts("")).toEqual([])
  })

  it("leaves nothing unseen in any character of the planes it knows", () => {
    for (let code = 0; code < 0x10000; code += 1) {
      const shown = seen(`x${String.fromCharCode(code)}x`)
      expect(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\x00-\x08\x1b]/.test(shown)).toBe(false)
    }
  })

  it("leaves prose its scripts, but not its order to it", () => {
    expect(seenInProse("שלום\u200f, 👩‍💻")).toBe("שלום\u200f, 👩‍💻")
    expect(seenInProse("a\u202eb\u2066c")).toBe("a\\u{202e}b\\u{2066}c")
    expect(seenInProse("bell\x07 zero\u200bwidth \u2028")).toBe("bell\\x07 zero\\u{200b}width \\u{2028}")
  })

  it("puts a title on one line", () => {
    expect(seenLine("  a\n\tb\u2028c ")).toBe("a b c")
  })
})
