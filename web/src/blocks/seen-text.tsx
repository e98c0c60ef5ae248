import { seenParts } from "./text/seen"

/** Text in which every active or hidden character is made visible and marked. */
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
