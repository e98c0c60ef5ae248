import type { ConversationSummary } from "@/api/schema"

/** How the conversation begins, where its title says something else; null where it says that. */
export function promptBeside({ title, first_prompt }: Pick<ConversationSummary, "title" | "first_prompt">): string | null {
  return first_prompt === null || first_prompt === "" || first_prompt === title ? null : first_prompt
}
