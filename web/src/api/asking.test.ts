import { expect, test } from "vitest"
import { approvalCard } from "@/testing/approvals"
import { askingOf, isOf } from "./asking"

const named = approvalCard("a", { conversation: "shop/main/s-1", session: "s-1" })
const early = approvalCard("b", { conversation: null, session: "s-2" })

test("a request is of the conversation that it names, whatever its session is called", () => {
  expect(isOf(named, "shop/main/s-1")).toBe(true)
  expect(isOf(named, "other/main/s-1")).toBe(false)
})

test("a request of a session that is not recorded yet belongs to the conversation that the session becomes", () => {
  expect(isOf(early, "shop/main/s-2")).toBe(true)
  for (const other of ["shop/main/s-1", "shop/main/xs-2", "shop/s-2/s-1", ""]) expect(isOf(early, other)).toBe(false)
  expect(isOf(approvalCard("c", { session: "" }), "shop/main/")).toBe(false)
})

test("a conversation asks as long as a request of it waits", () => {
  const asking = askingOf([named, early])
  expect(["shop/main/s-1", "shop/main/s-2", "shop/main/s-3"].map((name) => asking.has(name))).toEqual([true, true, false])
})
