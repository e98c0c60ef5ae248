import { describe, expect, it } from "vitest"
import { output, shell, toolCall as call } from "@/testing/calls"
import { exitCode, isRunning, summaryOf, withoutFolder } from "./call-summary"

describe("summaryOf", () => {
  it("shows a command's first line, made visible", () => {
    expect(summaryOf(call({ title: "List", asked: [shell("\nls \u202e -la\nwc")] }), null)).toMatchObject({
      title: "List",
      command: "ls \\u{202e} -la",
    })
  })

  it("counts lines, or shows a few words as they are", () => {
    expect(summaryOf(call({ given: [output("a\nb\n")] }), null).facts).toEqual([{ text: "2 lines", tone: "plain" }])
    expect(summaryOf(call({ given: [output("ok\n")] }), null).facts).toEqual([{ text: "ok", tone: "plain" }])
    expect(summaryOf(call({ given: [output("  \n")] }), null).facts).toEqual([])
  })

  it("does not claim to know how long an output is that a page cut", () => {
    const cut = { ...output("a\nb\n"), cut_chars: 7, tail: "z" }
    expect(summaryOf(call({ given: [cut] }), null).facts).toEqual([{ text: "over 2 lines", tone: "plain" }])
  })

  it("counts what a change adds and removes", () => {
    const diff = {
      type: "diff",
      path: "a",
      hunks: [{ old_start: 1, new_start: 1, lines: ["+a", "+b", "-c"] }],
      is_new: false,
      cut_chars: 0,
    } as const
    expect(summaryOf(call({ asked: [{ ...diff, hunks: [...diff.hunks].map((hunk) => ({ ...hunk, lines: [...hunk.lines] })) }] }), null).facts).toEqual([
      { text: "+2", tone: "added" },
      { text: "−1", tone: "removed" },
    ])
  })

  it("says why a call failed", () => {
    expect(summaryOf(call({ state: "failed", given: [output("Exit code 2\nmore")] }), null).facts).toEqual([
      { text: "Exit code 2", tone: "failed" },
    ])
  })

  it("knows the code a command ended with", () => {
    expect(exitCode(call({ given: [output("Exit code 127\nnot found")] }))).toBe(127)
    expect(exitCode(call({ given: [output("the Exit code 1")] }))).toBeNull()
  })

  it("shows paths from the conversation's folder on", () => {
    expect(withoutFolder("/home/me/x/src/a.py:3-", "/home/me/x")).toBe("src/a.py:3-")
    expect(withoutFolder("/home/me/xy/a.py", "/home/me/x")).toBe("/home/me/xy/a.py")
    expect(withoutFolder("/home/me/x/", "/home/me/x")).toBe("/home/me/x/")
    expect(withoutFolder("/a", null)).toBe("/a")
    expect(withoutFolder("x.*y  in /home/me/x/src *.py", "/home/me/x")).toBe("x.*y  in src *.py")
  })
})

describe("a call without a result", () => {
  const asked = call({ state: "pending", time: "2026-01-05T09:00:00.000Z" })

  it("runs while its conversation is at work and nothing much came after it", () => {
    expect(isRunning(asked, "2026-01-05T09:00:20.000Z")).toBe(true)
    expect(isRunning(asked, "2026-01-05T09:05:00.000Z")).toBe(false)
    expect(isRunning(asked, null)).toBe(false)
    expect(isRunning({ ...asked, state: "done" }, "2026-01-05T09:00:20.000Z")).toBe(false)
  })
})
