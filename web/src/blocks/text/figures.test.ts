import { describe, expect, it } from "vitest"
import { cost, count, duration, elapsed, several, size, tokens } from "./figures"

describe("figures", () => {
  it.each([
    [999, "999"],
    [1234, "1.2k"],
    [9960, "10k"],
    [12_345, "12k"],
    [999_600, "1.0M"],
    [3_400_000, "3.4M"],
    [1e30, "1000T"],
  ])("count %d", (number, words) => expect(count(number)).toBe(words))

  it.each([
    [1, "1 byte"],
    [812, "812 bytes"],
    [164_900, "164.9 kB"],
    [3e9, "3.0 GB"],
  ])("size %d", (number, words) => expect(size(number)).toBe(words))

  it.each([
    [80, "80ms"],
    [1200, "1.2s"],
    [42_000, "42s"],
    [185_000, "3m 05s"],
    [7_800_000, "2h 10m"],
    [-1, "?"],
    [Number.NaN, "?"],
  ])("duration %d", (number, words) => expect(duration(number)).toBe(words))

  it.each([
    [0, "$0.00"],
    [0.0018, "$0.0018"],
    [0.03, "$0.03"],
    [12.4, "$12.40"],
    [Number.POSITIVE_INFINITY, "$?"],
  ])("cost %d", (number, words) => expect(cost(number)).toBe(words))

  it("tokens include the cache", () => {
    expect(tokens({ input: 100, output: 42, cache_creation: 0, cache_read: 2000 })).toBe("2.1k in · 42 out")
    expect(tokens({ input: 100, output: 1, cache_creation: 0, cache_read: 0 }, true)).toBe("100 in · ≥ 1 out")
    expect(tokens({ input: 0, output: 0, cache_creation: 0, cache_read: 0 })).toBe("")
  })

  it("words", () => {
    expect(several(1, "line")).toBe("1 line")
    expect(several(1200, "line")).toBe("1,200 lines")
    expect(several(2, "entry", "entries")).toBe("2 entries")
    expect(elapsed("2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z")).toBe(2000)
    expect(elapsed("2026-01-01T00:00:02Z", "2026-01-01T00:00:00Z")).toBe(null)
    expect(elapsed("2026-01-01T00:00:02Z", "2026-01-01T00:00:02Z")).toBe(null)
    expect(elapsed("nonsense", "2026-01-01T00:00:00Z")).toBe(null)
  })
})
