import { expect, it } from "vitest"
import { changedLines } from "./changes"
import { sidesOf } from "./sides"

function shown(...lines: string[]): (string | null)[][] {
  const [hunk = []] = changedLines([{ old_start: 1, new_start: 1, lines }])
  return sidesOf(hunk).map(({ before, after }) => [before?.text ?? null, after?.text ?? null])
}

it("puts a changed line beside the one that it replaced", () => {
  expect(shown(" a", "-b", "+B", " c")).toEqual([["a", "a"], ["b", "B"], ["c", "c"]])
})

it("leaves a gap on the side that has fewer lines", () => {
  expect(shown("-a", "+A", "+B", " c", "-d")).toEqual([["a", "A"], [null, "B"], ["c", "c"], ["d", null]])
})

it("keeps a remark about the end of the file on its side", () => {
  expect(shown("-a", "\\ No newline at end of file", "+a")).toEqual([["a", "a"], ["No newline at end of file", null]])
})
