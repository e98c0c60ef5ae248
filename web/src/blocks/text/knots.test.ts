import { expect, it } from "vitest"
import { isKnotty } from "./knots"

it("leaves what people and models write alone", () => {
  expect(isKnotty("# Title\n\n- a\n  - b\n    1. c\n\n> quoted\n> > twice")).toBe(false)
  expect(isKnotty(`${"-".repeat(200)}\n${"*".repeat(200)}\n${"=".repeat(200)}`)).toBe(false)
  expect(isKnotty(Array.from({ length: 900 }, (_, n) => `- **item ${n}** of _many_`).join("\n"))).toBe(false)
})

it("tells what has no ground", () => {
  expect(isKnotty(`${"> ".repeat(10_000)}deep`)).toBe(true)
  expect(isKnotty(`first\n${">".repeat(100)} deep`)).toBe(true)
  expect(isKnotty(`${"- ".repeat(3_000)}deep`)).toBe(true)
  expect(isKnotty(`${"1. ".repeat(100)}deep`)).toBe(true)
})

it("tells what has no end", () => {
  expect(isKnotty("*a_".repeat(12_000))).toBe(true)
  expect(isKnotty("[".repeat(20_000))).toBe(true)
})
