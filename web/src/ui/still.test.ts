import { expect, it } from "vitest"
import { Stillness } from "./still"

const HERE = { x: 10, y: 20, width: 300, height: 100 }

it("is still when nothing moved for long enough", () => {
  const stillness = new Stillness(1000, 500)
  stillness.look([HERE], 1000)
  expect(stillness.isStillAt(1499)).toBe(false)
  expect(stillness.isStillAt(1500)).toBe(true)
})

it.each([{ x: 11 }, { y: 19 }, { width: 299 }, { height: 140 }])("begins to wait again after a move or a new size: %o", (change) => {
  const stillness = new Stillness(0, 500)
  stillness.look([HERE], 0)
  stillness.look([{ ...HERE, ...change }], 2000)
  expect(stillness.isStillAt(2400)).toBe(false)
  stillness.look([{ ...HERE, ...change }], 2450)
  expect(stillness.isStillAt(2500)).toBe(true)
})

it("does not count a press from before the move, however late it is heard of", () => {
  const stillness = new Stillness(0, 500)
  stillness.look([HERE], 0)
  stillness.look([{ ...HERE, y: 400 }], 9000)
  expect(stillness.isStillAt(8990)).toBe(false)
})

it("waits again for a reader who comes back", () => {
  const stillness = new Stillness(0, 500)
  stillness.look([HERE], 0)
  stillness.startle(60_000)
  expect(stillness.isStillAt(60_100)).toBe(false)
})
