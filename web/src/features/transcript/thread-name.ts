import { seenLine } from "@/blocks/text/seen"

/** What a sub-agent's thread is called: `Explore: Find the tests`, and where nobody named it, its id. */
export function threadName({ id, kind, description }: { id: string; kind: string; description: string }): string {
  return seenLine([kind, description].filter(Boolean).join(": ")) || seenLine(id)
}
