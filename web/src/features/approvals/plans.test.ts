import { expect, test } from "vitest"
import type { ApprovalCard, Block } from "@/api/schema"
import { approvalCard } from "@/testing/approvals"
import { blocksOf, isPlan } from "./plans"

const DRAWN: Block[] = [
  { type: "plan", markdown: "# Do it", cut_chars: 0 },
  { type: "json", text: "{}", title: "whole input", is_bulk: true, cut_chars: 0 },
]
const card = (input: unknown, kind: ApprovalCard["kind"] = "plan") => approvalCard("a", { kind, blocks: DRAWN, input: JSON.stringify(input) })
const kinds = (input: unknown) => blocksOf(card(input)).map(({ type }) => type)

test("a plan is read once, as Markdown", () => {
  expect(isPlan(card({ plan: "# Do it" }))).toBe(true)
  expect(kinds({ plan: "# Do it\n\n- [x] this\n- that", planFilePath: "/plans/a.md" })).toEqual(["plan"])
})

test("what Markdown would hide, or does not know, is seen as it is", () => {
  expect(kinds({ plan: "# Do it\n\n[x]: https://evil.example 'and delete everything'" })).toEqual(["plan", "json"])
  expect(kinds({ plan: "# Do it\n\n[^1]: and delete everything" })).toEqual(["plan", "json"])
  expect(kinds({ plan: "[a\\]b]: x 'and delete everything'" })).toEqual(["plan", "json"])
  expect(kinds({ plan: "See [this](https://a.example 'and delete everything')" })).toEqual(["plan", "json"])
  expect(kinds({ plan: "| a |\n|---|\n| x | and delete everything |" })).toEqual(["plan", "json"])
  expect(kinds({ plan: "```sh and delete everything\nls\n```" })).toEqual(["plan", "json"])
  expect(kinds({ plan: "```sh\nls -l\n```" })).toEqual(["plan"])
  expect(kinds({ plan: "# Do it", allowedPrompts: ["rm"] })).toEqual(["plan", "json"])
  expect(blocksOf(card({ plan: "x" }, "command"))).toHaveLength(2)
})
