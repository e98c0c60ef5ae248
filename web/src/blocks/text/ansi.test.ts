import { describe, expect, it } from "vitest"
import { Counted } from "@/testing/counted"
import { ansiLines, ansiRuns, withoutAnsi } from "./ansi"

describe("ansiRuns", () => {
  it("leaves plain text alone", () => {
    expect(ansiRuns("a\nb")).toEqual([{ text: "a\nb", style: null }])
    expect(ansiRuns("")).toEqual([])
  })

  it("reads the sixteen colours, bright ones and resets", () => {
    const runs = ansiRuns("\x1b[1;31mbad\x1b[0m ok \x1b[92mgood\x1b[39m.")
    expect(runs.map((run) => [run.text, run.style?.fg ?? null, run.style?.isBold ?? false])).toEqual([
      ["bad", { named: 1 }, true],
      [" ok ", null, false],
      ["good", { named: 10 }, false],
      [".", null, false],
    ])
  })

  it("reads 256 colours and true colour, with semicolons or colons", () => {
    expect(ansiRuns("\x1b[38;5;196mx")[0]?.style?.fg).toEqual({ rgb: [255, 0, 0] })
    expect(ansiRuns("\x1b[38;5;244mx")[0]?.style?.fg).toEqual({ rgb: [128, 128, 128] })
    expect(ansiRuns("\x1b[38;5;3mx")[0]?.style?.fg).toEqual({ named: 3 })
    expect(ansiRuns("\x1b[48;2;1;2;999mx")[0]?.style?.bg).toEqual({ rgb: [1, 2, 255] })
    expect(ansiRuns("\x1b[38;5;7;1mx")[0]?.style).toMatchObject({ fg: { named: 7 }, isBold: true })
  })

  it("drops every other sequence: cursor, titles, clipboard, links, device strings", () => {
    expect(withoutAnsi("a\x1b[2Jb\x1b[10;3Hc\x1b[?25ld")).toBe("abcd")
    expect(withoutAnsi("\x1b]0;title\x07a\x1b]52;c;aGk=\x1b\\b")).toBe("ab")
    expect(withoutAnsi("\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\")).toBe("link")
    expect(withoutAnsi("\x1bPq#0\x1b\\x\x1b(By\x1b=z")).toBe("xyz")
  })

  it("shows concealed text and strings that never end", () => {
    expect(ansiRuns("\x1b[8mhidden")).toEqual([{ text: "hidden", style: null }])
    expect(withoutAnsi("\x1b]0;rm -rf ~\nnext")).toContain("rm -rf ~")
  })

  it("begins a line where a return overwrites one", () => {
    expect(ansiLines("10%\r20%\r\ndone").map((line) => line.map((run) => run.text).join(""))).toEqual([
      "10%",
      "20%",
      "done",
    ])
  })

  it("keeps a style over several lines", () => {
    const lines = ansiLines("\x1b[32ma\nb\x1b[0m\nc")
    expect(lines.map((line) => line[0]?.style?.fg ?? null)).toEqual([{ named: 2 }, { named: 2 }, null])
  })

  it.each([
    ["parameters without end", "\x1b[" + ";".repeat(1_000_000)],
    ["many sequences of parameters", "\x1b[;;;;".repeat(170_000)],
    ["strings without end", "\x1b]".repeat(500_000)],
    ["escapes alone", "\x1b".repeat(1_000_000)],
    ["intermediates", "\x1b" + " ".repeat(1_000_000)],
    ["a string of a megabyte", "\x1b]0;" + "x".repeat(1_000_000)],
  ])("takes a bounded number of steps per character: %s", (_, text) => {
    const counted = new Counted(text)
    ansiRuns(counted)
    expect(counted.steps).toBeLessThan(8 * text.length)
  })
})
