import { beforeAll, describe, expect, it } from "vitest"
import { highlighted, load } from "./highlight"
import { languageOf, languageOfPath, LOADERS } from "./languages"

function textOf(lines: ReturnType<typeof highlighted>): string {
  return lines.map((line) => line.map((span) => span.text).join("")).join("\n")
}

describe("highlighted", () => {
  beforeAll(() => Promise.all(["python", "xml", "bash", "json"].map(load)))

  it("gives parts of speech and keeps every character", () => {
    const text = 'def f(x):\n    """a\n    b"""\n    return f"{x}" # <b>&amp;</b>\n'
    const lines = highlighted(text, "python")
    expect(textOf(lines)).toBe(text)
    expect(lines[0]?.[0]).toEqual({ text: "def", scope: "keyword" })
    expect(lines[3]?.some((span) => span.scope === "comment" && span.text.includes("<b>"))).toBe(true)
  })

  it("keeps languages inside others", () => {
    const text = "<style>a { color: red }</style><script>const x = 1</script>"
    const lines = highlighted(text, "xml")
    expect(textOf(lines)).toBe(text)
    expect(lines[0]?.some((span) => span.text === "const" && span.scope === "keyword")).toBe(true)
  })

  it("leaves text plain that is too long or of no known language", () => {
    expect(highlighted("x = 1", null)[0]).toEqual([{ text: "x = 1", scope: "" }])
    expect(highlighted("x = 1", "ruby")[0]).toEqual([{ text: "x = 1", scope: "" }])
    expect(highlighted(`"${"x".repeat(2000)}"`, "json")[0]?.length).toBe(1)
    expect(highlighted("1\n".repeat(100_000), "json")).toHaveLength(100_001)
  })
})

describe("languages", () => {
  it("takes any name", () => {
    expect(languageOf("TSX")).toBe("typescript")
    expect(languageOf("constructor")).toBeNull()
    expect(languageOf("__proto__")).toBeNull()
    expect(languageOf("")).toBeNull()
    expect(languageOfPath("/a/b.test.ts")).toBe("typescript")
    expect(languageOfPath("C:\\x\\Dockerfile")).toBe("dockerfile")
    expect(languageOfPath("LICENSE")).toBeNull()
  })

  it("can load every one", async () => {
    for (const name of Object.keys(LOADERS)) await load(name)
    for (const name of Object.keys(LOADERS)) expect(highlighted("a b c", name)).toHaveLength(1)
  })
})
