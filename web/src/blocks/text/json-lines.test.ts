import { describe, expect, it } from "vitest"
import { jsonLines, visibleLines } from "./json-lines"

const nested = JSON.stringify({ a: { b: [1, 2] }, c: JSON.stringify({ d: [true] }), e: "{no", f: {} }, null, 2)

describe("jsonLines", () => {
  it("knows what each line opens and where that closes", () => {
    const lines = jsonLines(nested)
    expect(lines.map((line) => line.text).join("\n")).toBe(nested)
    expect(lines[0]?.closes).toBe(lines.length - 1)
    expect(lines[1]?.closes).toBe(6)
    expect(lines[2]?.closes).toBe(5)
    expect(lines[9]).toMatchObject({ text: '  "f": {}', closes: null })
  })

  it("finds JSON in a string, and only there", () => {
    const lines = jsonLines(nested)
    expect(lines.filter((line) => line.inner !== null).map((line) => line.text)).toEqual(['  "c": "{\\"d\\":[true]}",'])
    expect(lines[7]?.inner).toBe('{\n  "d": [\n    true\n  ]\n}')
  })

  it("takes text that is no JSON, or half of it", () => {
    for (const text of ["", "not json", "{", '{\n  "a": [', "}\n}\n{", "[\n]\n]"]) {
      const lines = jsonLines(text)
      expect(lines.map((line) => line.text).join("\n")).toBe(text)
      expect(visibleLines(lines, () => true).length).toBeGreaterThan(0)
    }
  })

  it("hides what is folded", () => {
    const lines = jsonLines(nested)
    expect(visibleLines(lines, () => false)).toHaveLength(lines.length)
    expect(visibleLines(lines, (index) => index === 1)).toEqual([0, 1, 7, 8, 9, 10])
    expect(visibleLines(lines, () => true)).toEqual([0])
  })

  it("takes long hostile lines in one go", () => {
    const line = `"${"\\".repeat(50_000)}{[`
    expect(jsonLines(line)).toHaveLength(1)
  })
})
