import { Prose } from "@/blocks/prose"
import type { ProseBlock } from "@/blocks/shapes"

/** What was said. People break lines where they mean it; a model's line breaks are Markdown's. */
export function TextBlock({ block, isTyped }: { block: ProseBlock; isTyped: boolean }) {
  return <Prose block={block} className={isTyped ? "typed" : undefined} />
}
