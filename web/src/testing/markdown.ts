/** Markdown as models write it: every construct, with character references in every place. */

/** Known and unknown references, one for more than one character, and one for a hidden character. */
const REFERENCES = [
  "&copy;", "&amp;", "&nbsp;", "&lt;", "&gt;", "&quot;", "&hellip;", "&mdash;", "&rarr;", "&check;", "&euro;", "&apos;",
  "&NotEqualTilde;", "&fjlig;", "&ZeroWidthSpace;", "&semi;", "&notit;", "&unknown;", "&constructor;", "&__proto__;",
  "&amp", "&;", "&#169;", "&#xA9;", "&#0;", "&#x110000;", "&#xD800;",
]

/** Where a reference may appear; `%` is replaced by one. */
const PLACES = [
  "%", "a % b", "# %", "Heading %\n===", "> %", "- %", "1. %", "- [x] %", "**%** _%_ ~~%~~", "`%`", "```%\n%\n```",
  "[%](https://a.example/?a=1&b=%)", "[a](https://a.example '%')", "[a][%]\n\n[%]: https://a.example/% '%'", "![%](%)",
  "<https://a.example/?%>", "https://a.example/?a=%&b=%", "| % | b |\n|---|---|\n| % | `%` |", "a[^1]\n\n[^1]: %", "<b>%</b>", "    %",
]

const CONSTRUCTS = [
  "",
  " ",
  "a  \nb\\\nc",
  "***a*** ~~b~~ `c` **`d`**",
  "1. a\n   - b\n     > c\n\n       ```ts\n       const d = 1\n       ```",
  "| a | b |\n|:--|--:|\n| 1 | 2 |\n| \\| | `|` |",
  "- [ ] open\n- [x] done",
  "a[^note] b[^note]\n\n[^note]: the note, with `code`",
  "www.example.org https://example.org/a_(b) me@example.org",
  "---\n\n***\n\nsetext\n------",
  "<details><summary>a</summary>\n\n**b**\n\n</details>",
  "```\nno language\n```\n\n~~~python\nprint(1)\n~~~\n\n```ts\nunfinished",
  "[a]: <> 'empty'\n\n[a] [a][] [b][a]",
  "\\*not emphasis\\* \\& \\&copy;",
  "$a^2$ :tada: {{ x }} <!-- a comment -->",
  "<svg><b>&copy;</b></svg>",
]

/** Returns all texts. */
export function markdownTexts(): string[] {
  return [...CONSTRUCTS, ...PLACES.flatMap((place) => REFERENCES.map((reference) => place.replaceAll("%", reference)))]
}
