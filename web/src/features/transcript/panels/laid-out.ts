/**
 * Returns JSON with line breaks and unchanged values; text that is not JSON stays as it is. More exact than a parser,
 * which would change numbers.
 */
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
