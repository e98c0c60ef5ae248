import { describe, expect, it } from "vitest"
import { cdCommand, resumeCommand } from "@/parts/resume-command"
import { chosenBranch, permalink } from "./place"

it("a permalink keeps hostile names in their places", () => {
  expect(permalink("http://127.0.0.1:7717", "a b/main/x?y#z", { thread: "", branch: [], at: "id&x=1", words: [] })).toBe(
    "http://127.0.0.1:7717/c/a%20b/main/x%3Fy%23z?at=id%26x%3D1",
  )
  expect(permalink("", "w/m/c", { thread: "t", branch: ["a", "b"], at: null, words: [] })).toBe("/c/w/m/c?thread=t&branch=a&branch=b")
})

it("one continuation is chosen per branch point", () => {
  const heads = [
    { id: "old", is_active: false },
    { id: "older", is_active: false },
    { id: "now", is_active: true },
  ]
  expect(chosenBranch(["elsewhere"], heads, "old")).toEqual(["elsewhere", "old"])
  expect(chosenBranch(["old", "elsewhere"], heads, "older")).toEqual(["elsewhere", "older"])
  expect(chosenBranch(["old"], heads, "now")).toEqual([])
})

it("makes a command that changes into a folder", () => {
  expect(cdCommand("/home/me/code")).toBe("cd /home/me/code")
  expect(cdCommand("/home/me/my code's")).toBe("cd '/home/me/my code'\\''s'")
  expect(cdCommand("C:\\Users\\me")).toBe("cd 'C:\\Users\\me'")
  expect(cdCommand(null)).toBeNull()
})

describe("resumeCommand", () => {
  it("can be pasted into a shell whatever the folder is called", () => {
    expect(resumeCommand("0a-1b", "/home/me/code")).toBe("cd /home/me/code && claude --resume 0a-1b")
    expect(resumeCommand("0a-1b", "/tmp/it's; rm -rf ~")).toBe("cd '/tmp/it'\\''s; rm -rf ~' && claude --resume 0a-1b")
    expect(resumeCommand("0a-1b", null)).toBe("claude --resume 0a-1b")
  })

  it("leaves out a folder that a terminal would act on when it is pasted", () => {
    for (const folder of ["/tmp/\u0003rm -rf ~\r", "/tmp/\u001b[201~x", "/a\nb", "/a\u202eb", "-", "../x", ""]) {
      expect(resumeCommand("0a-1b", folder)).toBe("claude --resume 0a-1b")
      expect(cdCommand(folder)).toBeNull()
    }
  })

  it("is not made of an id that would be more than an id", () => {
    expect(resumeCommand("x; rm -rf ~", "/x")).toBeNull()
    expect(resumeCommand("", null)).toBeNull()
  })
})
