import { expect, it } from "vitest"
import { delayMs } from "./backoff"

it("doubles up to a quarter of a minute", () => {
  expect([0, 1, 2, 3].map((failures) => delayMs(failures, 1))).toEqual([400, 800, 1600, 3200])
  expect(delayMs(50, 1)).toBe(15_000)
})

it("lies by chance between half and all of it", () => {
  expect(delayMs(2, 0)).toBe(800)
  expect(delayMs(2, 0.5)).toBe(1200)
})
