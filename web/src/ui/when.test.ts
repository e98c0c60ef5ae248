import { describe, expect, it } from "vitest"
import { readersLocale } from "./locale"
import { age, dayName, instant, spanName } from "./when"

const NOW = new Date(2026, 1, 12, 12).getTime()

it("takes what is no time for none", () => {
  expect(instant("yesterday-ish")).toBeNull()
  expect(instant(null)).toBeNull()
  expect(instant("2026-02-03T12:00:00Z")).toBe(Date.UTC(2026, 1, 3, 12))
})

describe("an age", () => {
  it.each([
    [10_000, "now"],
    [-10_000, "now"],
    [50_000, "1m"],
    [59 * 60_000, "59m"],
    [3 * 3_600_000, "3h"],
    [50 * 3_600_000, "2d"],
    [20 * 86_400_000, "23 Jan"],
    [400 * 86_400_000, "08/01/25"],
  ])("of %d ms is %s", (past, words) => {
    expect(age(NOW - past, NOW, "en-GB")).toBe(words)
  })
})

it("names days as people do", () => {
  const day = (back: number) => dayName(new Date(2026, 1, 12 - back, 23, 59).getTime(), NOW, "en-GB")
  expect([0, 1, 2, 6, 7, 60].map(day)).toEqual(["Today", "Yesterday", "Tuesday", "Friday", "5 February", "14 December 2025"])
})

it("names months further back", () => {
  const span = (back: number) => spanName(new Date(2026, 1, 12 - back, 12).getTime(), NOW, "en-GB")
  expect([0, 13, 14, 60].map(span)).toEqual(["Today", "30 January", "January", "December 2025"])
})

it("bears languages that Intl refuses", () => {
  expect(readersLocale("en-US@posix")).toBe("en-US")
  expect(readersLocale("de_DE")).toBe("de-DE")
  expect(readersLocale("??")).toBeUndefined()
})
