// @vitest-environment happy-dom
import { expect, test, vi } from "vitest"
import { draftOf, keepDraft } from "./drafts"

test("a draft is kept for its conversation, until there is none", () => {
  keepDraft("draft/a/1", "Hoist the")
  expect(draftOf("draft/a/1")).toBe("Hoist the")
  expect(draftOf("draft/a/2")).toBe("")
  keepDraft("draft/a/1", "")
  expect(draftOf("draft/a/1")).toBe("")
  expect(sessionStorage.getItem("chorus.draft.draft/a/1")).toBeNull()
})

test("where the browser refuses, the page keeps it", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new Error("no room")
  })
  keepDraft("draft/a/3", "All of it")
  expect(draftOf("draft/a/3")).toBe("All of it")
  vi.restoreAllMocks()
})
