import { expect, test } from "vitest"
import { tile } from "@/testing/tiles"
import { newNotices, reasonsByKey } from "./notices"

const asking = (request: string) => ({ kind: "permission" as const, text: "asks for permission: Bash", request, call: null, since: null })

test("each reason is told once, whatever else changes", () => {
  const before = reasonsByKey([tile("a", "needs you", null, { reasons: [asking("r1")] }), tile("b", "working")])
  const after = reasonsByKey([
    tile("a", "needs you", null, { reasons: [asking("r1"), asking("r2")], title: "Another title" }),
    tile("b", "needs you"),
  ])

  expect(newNotices(before, after).map(({ name, text }) => [name, text])).toEqual([
    ["a", "asks for permission: Bash"],
    ["b", "waits for you"],
  ])
  expect(newNotices(after, after)).toEqual([])
  expect(newNotices(after, before)).toEqual([])
})
