import { expect, it } from "vitest"
import { addressOf, nameParts, shortPath } from "./places"

it("shortens paths to their last two folders", () => {
  expect(shortPath("/home/me/code/shop")).toBe("code/shop")
  expect(shortPath("C:\\work\\shop\\")).toBe("work/shop")
  expect(shortPath("/srv")).toBe("srv")
  expect(shortPath("/")).toBe("/")
})

it("addresses a place, whatever the names hold", () => {
  expect(addressOf("my shop/main/a?b")).toBe("/c/my%20shop/main/a%3Fb")
  expect(addressOf("w/a/c", { at: "call:1&2", thread: "t" })).toBe("/c/w/a/c?thread=t&at=call%3A1%262")
})

it("takes a name apart", () => {
  expect(nameParts("shop/main/abc")).toEqual({ workspace: "shop", agent: "main", conversation: "abc" })
})
