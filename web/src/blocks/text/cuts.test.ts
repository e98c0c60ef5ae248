import { expect, it } from "vitest"
import { folded, opened } from "./cuts"

it("folds long texts, not those that are hardly longer", () => {
  expect(folded(12, 8, 4)).toEqual({ head: 12, tail: 0, left: 0 })
  expect(folded(15, 8, 4)).toEqual({ head: 15, tail: 0, left: 0 })
  expect(folded(16, 8, 4)).toEqual({ head: 8, tail: 4, left: 4 })
  expect(folded(100, 12, 0)).toEqual({ head: 12, tail: 0, left: 88 })
})

it("opens very long texts step by step", () => {
  expect(opened(300, 1)).toEqual({ head: 300, tail: 0, left: 0 })
  expect(opened(5000, 1)).toEqual({ head: 2000, tail: 0, left: 3000 })
  expect(opened(5000, 3)).toEqual({ head: 5000, tail: 0, left: 0 })
})
