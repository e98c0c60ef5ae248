import { SeenText } from "./seen-text"
import type { MarkedSpan, Span } from "./highlight/spans"

/** Turns scopes of the highlighter (`title.function`) into class names. */
function className(span: Span & Partial<MarkedSpan>): string | undefined {
  const scope = span.scope ? `hl-${/^[a-z]+/.exec(span.scope)?.[0] ?? ""}` : ""
  return span.isMarked ? `${scope} changed` : scope || undefined
}

/** A line in the colours of its language. */
export function Spans({ spans }: { spans: readonly (Span & Partial<MarkedSpan>)[] }) {
  return spans.map((span, index) => {
    const name = className(span)
    const text = <SeenText text={span.text} />
    return <span key={index} className={name}>{text}</span>
  })
}
