import { describe, expect, it } from "vitest"
import type { PageRow } from "@/api/schema"
import { laidOut, recordsOf } from "./records"

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

it("each record of a row is shown once, results last", () => {
  const row: PageRow = {
    key: ["", 0, "", 0, 0, ""],
    thread: "",
    row: { type: "mode", id: "m", time: null, mode: "" },
    places: {
      "result:t": { stream: "s", at: 5 },
      "line-of-t": { stream: "s", at: 5 },
      m: { stream: "s", at: 9 },
      "b:0": { stream: "s", at: 9 },
      "b:1": { stream: "s", at: 12 },
    },
  }
  expect(recordsOf(row).map((record) => [record.label, record.place.at, record.ids.length])).toEqual([
    ["record 1", 9, 2],
    ["record 2", 12, 1],
    ["result 3", 5, 2],
  ])
})
