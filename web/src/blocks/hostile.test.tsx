import { cleanup, render } from "@testing-library/react"
import { afterEach, describe, expect, it } from "vitest"
import { blocksOf, HOSTILE_TEXTS } from "@/testing/hostile-blocks"
import { BlockView } from "./block-view"

afterEach(cleanup)

describe.each(HOSTILE_TEXTS)("a block that says %j", (payload) => {
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
