import { describe, expect, it } from "vitest"
import { covers, heightBetween, rangeAround, rowAt } from "./reach"

const VIEW = { height: 100, beyond: 50 }
const ten = () => 10

describe("the rows around a place", () => {
  it("fill the view and reach beyond it on both sides", () => {
    expect(rangeAround(1000, ten, 500, 0, VIEW)).toEqual({ start: 495, end: 515 })
    expect(rangeAround(1000, ten, 500, 40, VIEW)).toEqual({ start: 491, end: 511 })
  })

  it("are those before the end when nothing comes after", () => {
    expect(rangeAround(1000, ten, 1000, 100, VIEW)).toEqual({ start: 985, end: 1000 })
  })

  it("fill the view also where a row near an end cannot stand where it should", () => {
    expect(rangeAround(1000, ten, 999, 0, VIEW)).toEqual({ start: 985, end: 1000 })
    expect(rangeAround(1000, ten, 0, 90, VIEW)).toEqual({ start: 0, end: 15 })
  })

  it("are all there are in a short list, and none in an empty one", () => {
    expect(rangeAround(3, ten, 1, 0, VIEW)).toEqual({ start: 0, end: 3 })
    expect(rangeAround(0, ten, 0, 0, VIEW)).toEqual({ start: 0, end: 0 })
  })

  it("are few where rows are tall", () => {
    expect(rangeAround(100, () => 5000, 50, -200, VIEW)).toEqual({ start: 50, end: 51 })
  })
})

it("says what covers what", () => {
  expect(covers({ start: 2, end: 8 }, { start: 2, end: 8 })).toBe(true)
  expect(covers({ start: 3, end: 8 }, { start: 2, end: 8 })).toBe(false)
  expect(covers({ start: 2, end: 7 }, { start: 2, end: 8 })).toBe(false)
})

it("finds a row by its distance from the beginning", () => {
  const heights = [10, 300, 5]
  const heightOf = (index: number) => heights[index] ?? 0
  expect(heightBetween(heightOf, 0, 3)).toBe(315)
  expect(rowAt(3, heightOf, 0)).toEqual({ index: 0, top: 0 })
  expect(rowAt(3, heightOf, 309)).toEqual({ index: 1, top: 10 })
  expect(rowAt(3, heightOf, 310)).toEqual({ index: 2, top: 310 })
  expect(rowAt(3, heightOf, 9999)).toEqual({ index: 2, top: 310 })
})
