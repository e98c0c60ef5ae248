import { SafeLink } from "@/ui/safe-link"
import type { LinksBlock } from "./shapes"
import { seenLine } from "./text/seen"

/** Web addresses with their titles. */
export function Links({ block }: { block: LinksBlock }) {
  return (
    <ul className="flex flex-col gap-1">
      {block.links.map((link, index) => (
        <li key={index} className="min-w-0 wrap-anywhere">
          <SafeLink href={link.url}>{seenLine(link.title) || "(no title)"}</SafeLink>
          <span className="block truncate text-sm text-ink-3">{seenLine(link.url)}</span>
        </li>
      ))}
    </ul>
  )
}
