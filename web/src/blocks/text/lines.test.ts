import { expect, it } from "vitest"
import { countLines, firstLines, trimmed } from "./lines"

it("counts and takes lines as split would", () => {
  for (const text of ["", "a", "a\n", "\na", "a\nb\nc", "\n\n\n", "a\n\nb\n"]) {
    const lines = text.split("\n")
    expect(countLines(text)).toBe(lines.length)
    for (let number = 1; number < 6; number += 1) {
      expect(firstLines(text, number)).toBe(lines.slice(0, number).join("\n"))
    }
  }
})

it("trims what surrounds a text, and takes time linear in it", () => {
  expect(trimmed("\n\n  a\n b \n\n")).toBe("  a\n b")
  expect(trimmed(`${" ".repeat(1_000_000)}x`)).toHaveLength(1_000_001)
  expect(trimmed("\n".repeat(10))).toBe("")
})
