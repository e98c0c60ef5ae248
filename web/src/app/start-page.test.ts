import { describe, expect, it } from "vitest"
import { openStartPage } from "./start-page"

function opened(address: string, { isWide = false, type = "navigate" } = {}): string {
  const url = new URL(address, "http://chorus.test")
  let now = address
  openStartPage({
    location: { ...window.location, pathname: url.pathname, search: url.search },
    history: { ...window.history, replaceState: (_state, _unused, next) => void (now = String(next)) },
    matchMedia: () => ({ ...window.matchMedia("all"), matches: isWide }),
    performance: { ...window.performance, getEntriesByType: () => [Object.assign(Object.create(null), { type })] },
  })
  return now
}

describe("the application opens", () => {
  it("with the start page on a phone, and with the list elsewhere", () => {
    expect(opened("/")).toBe("/now")
    expect(opened("/", { isWide: true })).toBe("/")
  })

  it("where its address says, or where it was before a reload", () => {
    expect(opened("/search")).toBe("/search")
    expect(opened("/?q=boats")).toBe("/?q=boats")
    expect(opened("/", { type: "reload" })).toBe("/")
  })
})
