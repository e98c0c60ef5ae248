import { describe, expect, it } from "vitest"
import type { OutlineMark, PageRow } from "@/api/schema"
import { currentMark, neighbourPrompt, placeInThread, thinned } from "./outline-marks"

const key = (number: number): PageRow["key"] => [String(number).padStart(4, "0"), 0, "s", 0, 0, ""]

function mark(number: number, kind: OutlineMark["kind"] = "prompt"): OutlineMark {
  return { key: key(number), id: `m${number}`, kind, text: "", time: null, at: number / 100 }
}

function rows(from: number, to: number): PageRow[] {
  return Array.from({ length: to - from }, (_, index) => ({
    key: key(from + index),
    thread: "",
    row: { type: "mode", id: `r${index}`, time: null, mode: "" },
    places: {},
    moments: { shown: "", pieces: [] },
  }))
}

const marks = [mark(10), mark(40, "error"), mark(60)]

describe("an outline", () => {
  it("knows the mark that a row stands below", () => {
    expect(currentMark(marks, key(5))).toBe(-1)
    expect(currentMark(marks, key(10))).toBe(0)
    expect(currentMark(marks, key(59))).toBe(1)
    expect(currentMark(marks, key(99))).toBe(2)
    expect(currentMark([], key(1))).toBe(-1)
  })

  it("tells how far into the thread a row is", () => {
    expect(placeInThread(marks, rows(10, 60), key(25))).toBeCloseTo(0.25)
    expect(placeInThread(marks, [], key(25))).toBeCloseTo(0.1)
    expect(placeInThread(marks, rows(60, 100), key(80))).toBeCloseTo(0.8)
    expect(placeInThread([], [], null)).toBe(1)
  })

  it("thins what a strip cannot show, the telling marks last", () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({
      ...mark(index, index === 2500 ? "error" : "prompt"),
      at: index / 5000,
    }))
    const ticks = thinned(many)
    expect(ticks.length).toBeLessThanOrEqual(301)
    expect(ticks.some((tick) => tick.kind === "error")).toBe(true)
    expect(thinned(marks)).toHaveLength(3)
  })

  it("leads from prompt to prompt", () => {
    expect(neighbourPrompt(marks, key(20), 1)?.id).toBe("m60")
    expect(neighbourPrompt(marks, key(60), -1)?.id).toBe("m10")
    expect(neighbourPrompt(marks, key(60), 1)).toBeNull()
    expect(neighbourPrompt(marks, null, -1)?.id).toBe("m60")
  })
})
