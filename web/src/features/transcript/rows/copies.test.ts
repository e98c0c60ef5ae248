import { describe, expect, it } from "vitest"
import { output, shell, toolCall } from "@/testing/calls"
import { messageRow } from "@/testing/messages"
import { copyOf } from "./copies"

const message = messageRow({
  pieces: [
    { type: "thinking", text: "hm\n\nyes", reason: null, cut_chars: 0 },
    { type: "prose", markdown: "Hello **you**", cut_chars: 0 },
    toolCall({ title: "Run it", asked: [shell("echo '```'")], given: [output("\x1b[31mred\x1b[0m\n")] }),
  ],
})

describe("copyOf", () => {
  it("writes Markdown that nothing in it can break", () => {
    expect(copyOf(message, "markdown")).toBe(
      "> hm\n>\n> yes\n\nHello **you**\n\n**Bash** Run it\n\n````bash\necho '```'\n````\n\n```\nred\n```",
    )
  })

  it("writes plain text", () => {
    expect(copyOf(message, "text")).toBe("hm\n\nyes\n\nHello **you**\n\nBash Run it\n\necho '```'\n\nred\n")
  })

  it("has something to say of every row", () => {
    expect(copyOf({ type: "mode", id: "x", time: null, mode: "plan" }, "text")).toBe("permission mode: plan")
    expect(
      copyOf({ type: "compaction", id: "x", time: null, trigger: null, pre_tokens: null, post_tokens: null }, "text"),
    ).toBe("compacted")
  })
})
