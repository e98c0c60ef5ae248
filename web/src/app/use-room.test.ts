import { expect, it } from "vitest"
import { heightLeft } from "./use-room"

it("gives the application what the keyboard of a phone leaves, and ignores the bars of a browser and a magnified page", () => {
  expect(heightLeft(844, { height: 508.4, scale: 1 })).toBe(508)
  expect(heightLeft(844, { height: 788, scale: 1 })).toBeNull()
  expect(heightLeft(844, { height: 422, scale: 2 })).toBeNull()
})
