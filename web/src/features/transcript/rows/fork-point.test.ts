import { expect, test } from "vitest"
import type { MessageRow, PageRow } from "@/api/schema"
import { messageRow } from "@/testing/messages"
import { forkPoint } from "./fork-point"

const PLACE = { stream: "main", at: 0 }
const [FIRST, SECOND, RESULT] = ["1", "2", "3"].map((n) => `${n.repeat(8)}-0000-4000-8000-000000000001`)

function row(ids: (string | undefined)[], given: Partial<PageRow> = {}, message: Partial<MessageRow> = {}): PageRow {
  const said = messageRow({ id: "msg_1", ...message })
  const places = Object.fromEntries(ids.map((id) => [id ?? "", PLACE]))
  return { key: ["", 0, "", 0, 0, ""], thread: "", row: said, places, moments: { shown: "", pieces: [] }, ...given }
}

test("a fork goes on after the last line of a message, and after what its calls gave back", () => {
  expect(forkPoint(row(["msg_1", `${FIRST}:0`, FIRST, `${SECOND}:0`, SECOND]))).toBe(SECOND)
  expect(forkPoint(row(["msg_1", `${FIRST}:0`, FIRST, "toolu_1", "call:toolu_1", "result:toolu_1", RESULT]))).toBe(RESULT)
})

test("there is none in a sub-agent's thread, for a message that is being written, or one without lines of its own", () => {
  expect(forkPoint(row([FIRST], { thread: "agent-1" }))).toBeNull()
  expect(forkPoint(row([FIRST], {}, { is_partial: true }))).toBeNull()
  expect(forkPoint(row(["msg_1", "stream@12", "stream@12:0"]))).toBeNull()
})
