/** JSON with line breaks, its values untouched; text that is no JSON as it is. Exact where a parser would not be. */
export function laidOut(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  const lines: string[] = []
  let line = ""
  let depth = 0
  const breakLine = (): void => {
    lines.push(line)
    line = "  ".repeat(depth)
  }
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === "{" || token === "[") {
      line += token
      depth += 1
      breakLine()
    } else if (token === "}" || token === "]") {
      depth -= 1
      if (line.trim() === "" && /[{[]$/.test(lines[lines.length - 1] ?? "")) line = lines.pop() ?? ""
      else breakLine()
      line += token
    } else if (token === ",") {
      line += token
      breakLine()
    } else {
      line += token === ":" ? ": " : token
    }
  }
  lines.push(line)
  return lines.join("\n")
}
