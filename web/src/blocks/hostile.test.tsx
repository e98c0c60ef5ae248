import { cleanup, render } from "@testing-library/react"
import { afterEach, describe, expect, it } from "vitest"
import { BlockView } from "./block-view"
import type { Block } from "./shapes"

const PAYLOADS = [
  `<img src=x onerror="alert(1)">`,
  `<script>alert(1)</script>`,
  `"><svg onload=alert(1)>`,
  `<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
  `[x](javascript:alert(1)) [y](data:text/html,x) [z]( java\tscript:alert(1))`,
  `![p](https://evil.example/p.png) ![q](data:image/svg+xml,<svg/>) ![r][s]\n\n[s]: //evil.example/x`,
  `<a href="javascript:alert(1)">x</a> <style>*{background:url(//evil.example)}</style>`,
  "```html onload=alert(1)\n<script>alert(1)</script>\n```",
  `\u202e\u0000\u001b]8;;javascript:alert(1)\u0007x`,
]

/** One block of each shape with the same text in every field that takes text. */
function blocksOf(text: string): Block[] {
  return [
    { type: "prose", markdown: text, cut_chars: 0 },
    { type: "thinking", text, reason: text, cut_chars: 0 },
    { type: "thinking", text: "", reason: text, cut_chars: 0 },
    { type: "code", text, language: text, title: text, first_line: 1, is_bulk: false, cut_chars: 0 },
    {
      type: "diff",
      path: text,
      hunks: [{ old_start: 1, new_start: 1, lines: [`-${text}`, `+${text}`, `\\${text}`] }],
      is_new: true,
      cut_chars: 0,
    },
    { type: "shell", command: text, language: text, cut_chars: 0 },
    {
      type: "output",
      text,
      is_error: true,
      is_bulk: false,
      side_file: { name: text, size_bytes: 5 },
      tail: text,
      cut_chars: 5,
    },
    { type: "todos", items: [{ text, status: text, id: text, note: text }], cut_chars: 0 },
    { type: "image", media_type: text, size_bytes: 1, source: text, item: text, nth: 0, cut_chars: 0 },
    { type: "json", text: JSON.stringify({ [text]: text }, null, 2), title: text, is_bulk: false, cut_chars: 0 },
    { type: "json", text, title: text, is_bulk: false, cut_chars: 0 },
    {
      type: "question",
      header: text,
      question: text,
      options: [{ label: text, description: text, is_chosen: true }],
      is_multiple: true,
      answer: text,
      cut_chars: 0,
    },
    { type: "plan", markdown: text, cut_chars: 0 },
    { type: "links", links: [{ title: text, url: text }], cut_chars: 0 },
    { type: "note", text, level: "error", is_bulk: false, cut_chars: 0 },
    { type: "unread", reason: text, text, place: text, cut_chars: 0 },
  ]
}

afterEach(cleanup)

describe.each(PAYLOADS)("a block that says %j", (payload) => {
  it.each(blocksOf(payload).map((block) => [block.type, block] as const))("as %s makes nothing that runs or loads", (_, block) => {
    const { container } = render(<BlockView block={block} at="x" />)
    expect(container.querySelector("script, iframe, object, embed, style, link, base, form, img, video, audio")).toBeNull()
    for (const element of container.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        expect(name.startsWith("on")).toBe(false)
        if (name === "href" && !element.hasAttribute("download")) expect(value).toMatch(/^(?:https?|mailto):/)
        expect(["src", "srcset", "srcdoc", "action", "formaction", "background", "poster"]).not.toContain(name)
      }
    }
    for (const link of container.querySelectorAll("a[target]")) expect(link.getAttribute("rel")).toBe("noopener noreferrer")
  })
})

it("says what a picture was, and where it would have come from", () => {
  const { container } = render(
    <BlockView block={{ type: "prose", markdown: "![my plot](https://evil.example/p.png?secret=1)", cut_chars: 0 }} at="x" />,
  )
  expect(container.textContent).toContain("my plot · image from evil.example, not loaded")
})

it("shows HTML in Markdown as text", () => {
  const { container } = render(<BlockView block={{ type: "prose", markdown: "a <b>bold</b> word", cut_chars: 0 }} at="x" />)
  expect(container.textContent).toContain("a <b>bold</b> word")
})

it("shows what hides in a command", () => {
  const { container } = render(
    <BlockView block={{ type: "shell", command: "rm \u202e x\u200b", language: "bash", cut_chars: 0 }} at="x" />,
  )
  expect(container.textContent).toContain("rm \\u{202e} x\\u{200b}")
  expect(container.querySelectorAll(".unseen")).toHaveLength(2)
})

it.each([
  ["words", "rm &#x202e;x&#8203; &ZeroWidthSpace;&#8294;"],
  ["a link", "[rm &#x202e;x](https://a.example)"],
  ["a picture", "![rm &#x202e;x](y)"],
  ["a table", "| rm &#x202e;x |\n|---|"],
  ["a heading", "# rm &RightArrow;&#x202E;x"],
])("shows what hides in Markdown as a reference to a character: %s", (_, markdown) => {
  const { container } = render(<BlockView block={{ type: "prose", markdown, cut_chars: 0 }} at="x" />)
  expect(container.textContent).toContain("\\u{202e}x")
  expect(container.textContent).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/)
})
