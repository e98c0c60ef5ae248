import { Prose } from "@/blocks/prose"
import type { ProseBlock } from "@/blocks/shapes"

/** The text of a message. Line breaks that a person typed are kept; those of a model are treated as Markdown. */
export function TextBlock({ block, isTyped }: { block: ProseBlock; isTyped: boolean }) {
  return <Prose block={block} className={isTyped ? "typed" : undefined} />
}
