import { describe, expect, it } from "vitest"
import { answerOf, changedInput, faultOf, type Signer } from "./answering"

const CARD = { id: "f".repeat(32), digest: "a".repeat(64) }
const AT = new Date("2026-02-03T04:05:06.789Z")
const signer: Signer = { id: "ada", sign: (bytes) => Promise.resolve(`signed ${bytes.length} bytes`) }

describe("an answer", () => {
  it("is bound to the digest of the card and signed by the approver", async () => {
    const answer = await answerOf(CARD, { behavior: "allow", input: null, suggestions: [2, 0] }, signer, AT)
    expect(answer).toMatchObject({ digest: CARD.digest, approver: "ada", suggestions: [0, 2], input: null, message: "" })
    expect(answer.signature).toMatch(/^signed \d+ bytes$/)
  })

  it("that denies takes neither rules nor another input along, and needs nobody's name", async () => {
    const answer = await answerOf(CARD, { behavior: "deny", message: " not on Fridays " }, null, AT)
    expect(answer).toEqual({
      behavior: "deny",
      at: "2026-02-03T04:05:06.789Z",
      message: "not on Fridays",
      input: null,
      suggestions: [],
      digest: CARD.digest,
      approver: null,
      signature: null,
    })
  })
})

describe("a changed input", () => {
  it("must be one JSON object", () => {
    expect(faultOf('{"command": "ls"}')).toBeNull()
    for (const wrong of ["", "{", "[]", "null", '"x"', "1", '{} {"a":1}']) expect(faultOf(wrong)).not.toBeNull()
    expect(faultOf('{"a":"\ud800"}')).toBe("It holds half a character.")
  })

  it("is none when nothing was changed, whatever the field did to line ends", () => {
    expect(changedInput('{"a":1}', '{"a":1}')).toBeNull()
    expect(changedInput('{\r\n"a":1}', '{\n"a":1}')).toBeNull()
    expect(changedInput('{"a":1}', '{"a":2}')).toBe('{"a":2}')
  })
})
