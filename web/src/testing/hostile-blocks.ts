/** Hostile texts, and one block of each type with them in every field. */

import type { Block } from "@/blocks/shapes"

export const HOSTILE_TEXTS = [
  `<img src=x onerror="alert(1)">`,
  `<script>alert(1)</script>`,
  `"><svg onload=alert(1)>`,
  `<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
  // oxlint-disable-next-line eslint/no-script-url -- that it is none in the page is what the tests are about
  `[x](javascript:alert(1)) [y](data:text/html,x) [z]( java\tscript:alert(1))`,
  `![p](https://evil.example/p.png) ![q](data:image/svg+xml,<svg/>) ![r][s]\n\n[s]: //evil.example/x`,
  `<a href="javascript:alert(1)">x</a> <style>*{background:url(//evil.example)}</style>`,
  "```html onload=alert(1)\n<script>alert(1)</script>\n```",
  `\u202e\u0000\u001b]8;;javascript:alert(1)\u0007x`,
]

/** Returns one block of each type with the same text in every text field. */
export function blocksOf(text: string): Block[] {
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
