import { describe, expect, it } from "vitest"
import { frame, hello, mobileTile, said, sent, CONVERSATION } from "@/testing/mobile"
import { Memory } from "./memory"

function begun(): Memory {
  const memory = new Memory()
  memory.take(hello(10))
  return memory
}

const texts = (memory: Memory) =>
  memory.messages(CONVERSATION).map(({ message }) => (message.type === "user_message" ? message.content : message.type))

describe("a phone stores", () => {
  it("each message once, however often it is sent, and the last one under each id in its first place", () => {
    const memory = begun()
    expect(memory.take(frame(10, 11, said("1", "one"), said("2", "two"))).news).toHaveLength(2)
    expect(memory.take(frame(11, 12, said("1", "one"))).news).toEqual([])
    expect(memory.take(frame(12, 13, said("1", "ONE"))).news).toHaveLength(1)
    expect(texts(memory)).toEqual(["ONE", "two"])
    expect(memory.position).toEqual({ epoch: "e", seq: 13 })
  })

  it("nothing of a step that does not follow on the last one", () => {
    const memory = begun()
    expect(memory.take(frame(11, 12, said("1", "one")))).toMatchObject({ isBroken: true, news: [] })
    expect(new Memory().take(frame(0, 1)).isBroken).toBe(true)
    expect(texts(memory)).toEqual([])
    expect(memory.position.seq).toBe(10)
  })

  it("a text that is being written until the complete one comes, and does not claim to have it", () => {
    const memory = begun()
    memory.take(frame(null, null, said("1", "on", true)))
    expect(texts(memory)).toEqual(["on"])
    expect(memory.known()).toEqual({})
    memory.take(frame(10, 11, said("1", "one")))
    expect(texts(memory)).toEqual(["one"])
    memory.take(frame(null, null, said("2", "tw", true)))
    memory.dropPartials()
    expect(texts(memory)).toEqual(["one"])
    expect(Object.keys(memory.known())).toEqual([`${CONVERSATION} 1`])
  })

  it("nothing any more of what cannot be continued", () => {
    const memory = begun()
    memory.take(frame(10, 11, said("1", "one"), sent("other/main/b", "1", { type: "user_message", content: "x", conversationId: "b" })))
    expect(memory.take(frame(11, 12, sent(CONVERSATION, null, { type: "gap", conversation: CONVERSATION }))).gaps).toEqual([CONVERSATION])
    expect(texts(memory)).toEqual([])
    expect(memory.messages("other/main/b")).toHaveLength(1)
    expect(memory.take(hello(50, { epoch: "f", isReset: true })).isReset).toBe(true)
    expect(memory.messages("other/main/b")).toEqual([])
    expect(memory.known()).toEqual({})
    expect(memory.position).toEqual({ epoch: "f", seq: 50 })
  })

  it("no request that waits no longer", () => {
    const asked = (requestId: string) =>
      sent(null, `permission:${requestId}`, {
        type: "permission_request", requestId, digest: "d", tool: "Bash", kind: "command", title: "t", input: "{}", hints: [], isAnswerable: true,
        whyNot: "", createdAt: "", deadlineAt: null, suggestions: [], conversationId: "a",
      })
    const memory = begun()
    memory.take(frame(null, null, asked("p"), asked("q"), asked("r")))
    memory.take(frame(null, null, sent(null, "permission:p", { type: "permission_resolved", requestId: "p" })))
    memory.take(hello(10, { pending: ["r"] }))
    expect(memory.requests().map(({ requestId }) => requestId)).toEqual(["r"])
  })

  it("only tiles that a column names", () => {
    const memory = begun()
    const column = { column: "working" as const, count: 1 }
    const tile = (conversation: string) => sent(null, `tile:${conversation}`, mobileTile({ conversation }))
    const board = (...conversations: string[]) => sent(null, "board", { type: "board", columns: [{ ...column, conversations }] })
    memory.take(frame(null, null, tile("a"), tile("b"), board("a", "b")))
    memory.take(frame(null, null, board("b")))
    expect(memory.message("tile:a")).toBeNull()
    expect(memory.message("tile:b")).not.toBeNull()
  })

  it("no message of a type that it does not know", () => {
    const memory = begun()
    const unknown = JSON.parse('{"since":10,"seq":11,"messages":[{"conversation":null,"id":"x","revision":"1","isPartial":false,"message":{"type":"invented"}}]}')
    expect(memory.take(unknown)).toMatchObject({ news: [], isBroken: false })
    expect(memory.position.seq).toBe(11)
  })

  it("names what it has in a message that the server takes", () => {
    const memory = begun()
    for (let number = 0; number < 400; number += 1) {
      memory.take(frame(10 + number, 11 + number, said(`${number} ${"n".repeat(200)}`, "x")))
    }
    const known = memory.known()
    expect(JSON.stringify(known).length).toBeLessThan(30 << 10)
    expect(Object.keys(known).at(-1)).toContain(`${CONVERSATION} 399 `)
  })
})
