import { seenParts } from "./text/seen"

/** Text in which everything that acts or hides is written out, and marked as such. */
export function SeenText({ text }: { text: string }) {
  const parts = seenParts(text)
  if (parts.length === 1 && !parts[0]?.isMark) return parts[0]?.text
  return parts.map((part, index) =>
    part.isMark ? (
      <span key={index} className="unseen">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  )
}
