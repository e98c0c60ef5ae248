import { describe, expect, it } from "vitest"
import { laidOut } from "./laid-out"

describe("laidOut", () => {
  it("is what a parser would write, where a parser is exact", () => {
    for (const value of [{}, [], { a: [], b: {} }, { a: [1, { b: null }], c: "x,{}:\\\"", d: true }, "text", 1, null]) {
      expect(laidOut(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
    }
  })

  it("keeps numbers, escapes and repeated keys as they were captured", () => {
    expect(laidOut('{"a":12345678901234567890,"a":1.0,"b":"\\u00e9"}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "a": 1.0,\n  "b": "\\u00e9"\n}',
    )
  })

  it("leaves what is no JSON as it is", () => {
    expect(laidOut('{"a":')).toBe('{"a":')
    expect(laidOut("")).toBe("")
  })
})
