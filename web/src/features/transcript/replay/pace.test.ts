import { expect, test } from "vitest"
import { Axis, faster, lastUpTo, slower, SPEEDS } from "./pace"

test("the axis shortens a long pause and gives the real time back", () => {
  const axis = new Axis([0, 1000, 61_000, 62_000], 2000)
  expect(axis.lengthMs).toBe(4000)
  expect(axis.toPlayed(31_000)).toBe(2000)
  expect(axis.toReal(2000)).toBe(31_000)
  expect(axis.pauseAt(31_000)).toBe(60_000)
  expect(axis.pauseAt(500)).toBeNull()
  expect(axis.pauseAt(1000)).toBeNull()
  expect(axis.shortened).toEqual([[1000, 61_000]])
})

test("real and played time belong together everywhere", () => {
  const axis = new Axis([0, 0, 10, 5000, 5000, 90_000, 90_001], 300)
  for (let played = 0; played <= axis.lengthMs; played += 7) expect(axis.toPlayed(axis.toReal(played))).toBeCloseTo(played, 6)
  expect(axis.share(90_001)).toBe(1)
})

test("an axis without moments is a point", () => {
  const axis = new Axis([], 2000)
  expect([axis.lengthMs, axis.toReal(5), axis.share(5)]).toEqual([0, 0, 0])
})

test("speeds go up and down one by one, and stop at the ends", () => {
  expect([faster(1), slower(1), faster(64), slower(0.5)]).toEqual([2, 0.5, 64, 0.5])
  expect(SPEEDS).toHaveLength(8)
})

test("the last number up to a value is found by bisection", () => {
  expect([lastUpTo([], 1), lastUpTo([1, 1, 2], 1), lastUpTo([2], 1), lastUpTo([1, 2], 9)]).toEqual([-1, 1, -1, 1])
})
