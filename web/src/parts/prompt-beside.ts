import type { ConversationSummary } from "@/api/schema"

/** The first prompt of a conversation, if its title says something else; otherwise null. */
export function promptBeside({ title, first_prompt }: Pick<ConversationSummary, "title" | "first_prompt">): string | null {
  return first_prompt === null || first_prompt === "" || first_prompt === title ? null : first_prompt
}
