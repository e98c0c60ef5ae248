import { expect, it } from "vitest"
import { placed } from "./place"

const view = { width: 400, height: 300 }
const box = { width: 100, height: 20 }

it("stands centred below its target, or above when there is no room", () => {
  expect(placed({ left: 150, top: 50, width: 20, height: 20 }, box, view)).toEqual({ left: 110, top: 76 })
  expect(placed({ left: 150, top: 270, width: 20, height: 20 }, box, view)).toEqual({ left: 110, top: 244 })
})

it("never leaves the view", () => {
  expect(placed({ left: 0, top: 50, width: 10, height: 10 }, box, view).left).toBe(8)
  expect(placed({ left: 390, top: 50, width: 10, height: 10 }, box, view).left).toBe(292)
})
