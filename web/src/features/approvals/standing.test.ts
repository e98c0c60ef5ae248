import { expect, it } from "vitest"
import { standingOf } from "./standing"

const public_key = { x: "x", y: "y" }
const LIST = {
  approvers: [{ id: "a", name: "Ada", kind: "browser" as const, added_at: "" }],
  waiting: [{ id: "b", name: "Ben", public_key, asked_at: "" }],
}

it("is that of the key: an approver's, one that waits, or none", () => {
  expect(standingOf(LIST, "a")).toBe("approver")
  expect(standingOf(LIST, "b")).toBe("waiting")
  expect(standingOf(LIST, "c")).toBe("none")
  expect(standingOf(LIST, null)).toBe("none")
})
