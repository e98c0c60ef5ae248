// @vitest-environment happy-dom
import { expect, test, vi } from "vitest"
import { draftOf, keepBegun, keepDraft, takeBack } from "./drafts"

test("a draft is kept for its conversation, until there is none", () => {
  keepDraft("draft/a/1", "Hoist the")
  expect(draftOf("draft/a/1")).toBe("Hoist the")
  expect(draftOf("draft/a/2")).toBe("")
  keepDraft("draft/a/1", "")
  expect(draftOf("draft/a/1")).toBe("")
  expect(sessionStorage.getItem("chorus.draft.draft/a/1")).toBeNull()
})

test("what an agent was started with is taken back once it is of no use there, and never over something else", () => {
  keepBegun("run-1", "Paint the buoy.\nTwice.")
  takeBack("run-2", "draft/a/4")
  expect(draftOf("draft/a/4")).toBe("")
  takeBack("run-1", "draft/a/4")
  expect(draftOf("draft/a/4")).toBe("Paint the buoy.\nTwice.")
  keepBegun("run-3", "Another.")
  takeBack("run-3", "draft/a/4")
  expect(draftOf("draft/a/4")).toBe("Paint the buoy.\nTwice.")
})

test("where the browser refuses, the page keeps it", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new Error("no room")
  })
  keepDraft("draft/a/3", "All of it")
  expect(draftOf("draft/a/3")).toBe("All of it")
  vi.restoreAllMocks()
})
