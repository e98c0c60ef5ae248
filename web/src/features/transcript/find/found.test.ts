import { describe, expect, it } from "vitest"
import type { PageRow } from "@/api/schema"
import { output, shell, toolCall } from "@/testing/calls"
import { firstHit, foldsHolding, wordsOf } from "./found"

describe("wordsOf", () => {
  it("takes what can be seen", () => {
    expect(wordsOf('Foo "two words" tool:Bash -not OR bar*')).toEqual(["foo", "two words", "bar"])
    expect(wordsOf('"')).toEqual([])
    expect(wordsOf("   ")).toEqual([])
  })
})

const key = (number: number): PageRow["key"] => [String(number), 0, "", 0, 0, ""]

it("finding begins where the reader is", () => {
  const hits = [1, 4, 7].map((number) => ({ id: `h${number}`, key: key(number), thread: "" }))
  expect(firstHit(hits, key(3))).toBe(1)
  expect(firstHit(hits, key(9))).toBe(0)
  expect(firstHit(hits, null)).toBe(2)
  expect(firstHit([], null)).toBe(0)
})

it("what holds a word is opened, the rest is left alone", () => {
  const row: PageRow = {
    key: key(1),
    thread: "",
    places: {},
    moments: { shown: "", pieces: [] },
    row: {
      type: "orphan",
      id: "o",
      time: null,
      call: toolCall({ asked: [shell("ls")], given: [output("a\nNeedle")] }),
    },
  }
  expect(foldsHolding(row, ["needle"])).toEqual([
    ["lines", "t/given/0", 1],
    ["call", "t", 0],
  ])
  expect(foldsHolding(row, ["nothing"])).toEqual([])
})
