import type { ExportAsked, FindingShown } from "@/api/schema"

/** What a reader chose in the dialog; the fields of a request that it leads to are in `askedOf`. */
export interface Choices {
  format: ExportAsked["format"]
  since: string
  until: string
  hasToolOutput: boolean
  hasThinking: boolean
  hasImages: boolean
  isMainOnly: boolean
  isRedacted: boolean
  allowed: readonly string[]
  replaced: Readonly<Record<string, string>>
  added: readonly string[]
}

export const EVERYTHING: Choices = {
  format: "html",
  since: "",
  until: "",
  hasToolOutput: true,
  hasThinking: true,
  hasImages: true,
  isMainOnly: false,
  isRedacted: true,
  allowed: [],
  replaced: {},
  added: [],
}

export const FORMATS: readonly { value: ExportAsked["format"]; label: string; hint: string }[] = [
  { value: "html", label: "Page", hint: "One file that opens in any browser, without a server" },
  { value: "markdown", label: "Markdown", hint: "Text for an issue or a wiki" },
  { value: "json", label: "JSON", hint: "Exact values for programs" },
  { value: "session-file", label: "Session file", hint: "The client’s own file" },
]

/** The request for an export with these choices. */
export function askedOf(choices: Choices): ExportAsked {
  return {
    format: choices.format,
    since: utcOf(choices.since),
    until: utcOf(choices.until),
    thread: choices.isMainOnly ? "" : null,
    has_tool_output: choices.hasToolOutput,
    has_thinking: choices.hasThinking,
    has_images: choices.hasImages,
    is_redacted: choices.isRedacted,
    allowed: [...choices.allowed],
    replaced: Object.entries(choices.replaced).filter(([, text]) => text !== ""),
    added: [...choices.added],
  }
}

/** The time of a field for local dates and times, in UTC; null if the field is empty. */
export function utcOf(local: string): string | null {
  const time = new Date(local)
  return local === "" || Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** Keeps a finding, or hides it again. */
export function withAllowed(choices: Choices, { placeholder }: FindingShown, isAllowed: boolean): Choices {
  const others = choices.allowed.filter((each) => each !== placeholder)
  return { ...choices, allowed: isAllowed ? [...others, placeholder] : others }
}

export function withReplacement(choices: Choices, { placeholder }: FindingShown, text: string): Choices {
  return { ...choices, replaced: { ...choices.replaced, [placeholder]: text } }
}

/** Hides another text; one that is hidden already, and an empty one, change nothing. */
export function withAdded(choices: Choices, text: string): Choices {
  const wanted = text.trim()
  return wanted === "" || choices.added.includes(wanted) ? choices : { ...choices, added: [...choices.added, wanted] }
}
