import { expect, test } from "vitest"
import type { ComparedPair } from "@/api/schema"
import { stretches } from "./stretches"

const pair = (relation: ComparedPair["relation"]): ComparedPair => ({ relation, has_other_result: false, a: null, b: null })
const pairs = (text: string): ComparedPair[] => [...text].map((each) => pair(each === "=" ? "same" : each === "s" ? "shared" : "only"))
const drawn = (text: string, stem: number): string =>
  stretches(pairs(text), stem)
    .map((each) => `${each.isStem ? "stem" : "rest"}${each.isFolded ? "-" : "+"}${each.start}:${each.pairs.length}`)
    .join(" ")

test("a short comparison is shown completely", () => {
  expect(drawn("==x=", 2)).toBe("stem+0:2 rest+2:2")
})

test("the middle of a long common stretch is folded", () => {
  expect(drawn("ssssssssssx", 10)).toBe("stem-0:7 stem+7:3 rest+10:1")
  expect(drawn("x==========x", 0)).toBe("rest+0:4 rest-4:4 rest+8:4")
})

test("every pair is in one stretch, in order", () => {
  for (const text of ["", "x", "==========", "x=x==x=======x", "sssss=====xxxx======"]) {
    const found = stretches(pairs(text), 5)
    expect(found.flatMap((each) => each.pairs)).toHaveLength(text.length)
    let at = 0
    for (const each of found) {
      expect(each.start).toBe(at)
      at += each.pairs.length
    }
  }
})
