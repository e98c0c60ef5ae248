import { seenLine } from "@/blocks/text/seen"

/** What a sub-agent's thread is called: `Explore: Find the tests`. Its id is a number for programs, and no name. */
export function threadName({ kind, description }: { kind: string; description: string }): string {
  return seenLine([kind, description].filter((part) => part.trim() !== "").join(": ")) || "Sub-agent without a name"
}
