import { seenLine } from "@/blocks/text/seen"

/** The name of a sub-agent's thread: `Explore: Find the tests`. Its id is meant for programs. */
export function threadName({ kind, description }: { kind: string; description: string }): string {
  return seenLine([kind, description].filter((part) => part.trim() !== "").join(": ")) || "Sub-agent without a name"
}
