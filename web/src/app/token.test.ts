import { expect, it, vi } from "vitest"
import { takeToken, tokenIn } from "./token"

it("finds the token of a one-time link", () => {
  expect(tokenIn("#t=abc_-1")).toBe("abc_-1")
  expect(tokenIn("#t=")).toBeNull()
  expect(tokenIn("#main")).toBeNull()
  expect(tokenIn("")).toBeNull()
})

it("takes it out of the address at once, and leaves other fragments alone", () => {
  const replaceState = vi.fn<History["replaceState"]>()
  const page = (hash: string) => ({
    location: { ...window.location, hash, pathname: "/search", search: "?q=a" },
    history: { ...window.history, replaceState },
  })
  expect(takeToken(page("#t=secret"))).toBe("secret")
  expect(replaceState).toHaveBeenCalledWith(null, "", "/search?q=a")
  expect(takeToken(page("#main"))).toBeNull()
  expect(replaceState).toHaveBeenCalledTimes(1)
})
