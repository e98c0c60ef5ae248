import { describe, expect, it, vi } from "vitest"
import { Folds } from "./folds"

describe("Folds", () => {
  it("keeps what the reader did with each", () => {
    const folds = new Folds()
    expect(folds.isOpen("call", "a", false)).toBe(false)
    folds.put("call", "a", true)
    expect(folds.isOpen("call", "a", false)).toBe(true)
    expect(folds.isOpen("thinking", "a", false)).toBe(false)
  })

  it("opens all of a kind, whatever was done before, and each can be closed again", () => {
    const folds = new Folds()
    folds.put("thinking", "a", false)
    folds.putAll("thinking", true)
    expect(folds.isOpen("thinking", "a", false)).toBe(true)
    expect(folds.isOpen("thinking", "later", false)).toBe(true)
    folds.put("thinking", "a", false)
    expect(folds.isOpen("thinking", "a", true)).toBe(false)
    folds.putAll("thinking", null)
    expect(folds.isOpen("thinking", "later", false)).toBe(false)
  })

  it("tells its readers", () => {
    const folds = new Folds()
    const reader = vi.fn()
    const stop = folds.subscribe(reader)
    folds.put("call", "a", true)
    stop()
    folds.put("call", "a", false)
    expect(reader).toHaveBeenCalledTimes(1)
  })
})
