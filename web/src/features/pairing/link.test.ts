import { expect, it } from "vitest"
import { offeredIn, takeOffer } from "./link"

it("reads secret and scope from the address of the QR code", () => {
  expect(offeredIn("#p=a-secret_1&s=steer")).toEqual({ secret: "a-secret_1", scope: "steer" })
})

it.each(["#p=a", "#s=read", "#p=&s=read", "#p=a&s=everything", "#p=a&s="])("does not take %s for an offer", (fragment) => {
  expect(offeredIn(fragment)).toBe("broken")
})

it.each(["", "#", "#t=token"])("finds no offer in %j", (fragment) => {
  expect(offeredIn(fragment)).toBe("missing")
})

it("removes the secret from the address", () => {
  const shown: string[] = []
  const page = {
    location: { ...window.location, hash: "#p=a&s=read", pathname: "/pair" },
    history: { ...window.history, replaceState: (_: unknown, __: string, url?: string | URL | null) => shown.push(String(url)) },
  }
  expect(takeOffer(page)).toEqual({ secret: "a", scope: "read" })
  expect(shown).toEqual(["/pair"])
})
