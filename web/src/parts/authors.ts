/** The names of authors as readers know them: the same words as in `core/views/figures.py`. */

const LABELS: Record<string, string> = {
  model: "Claude",
  human: "You",
  tool: "Tool",
  synthetic: "Client",
  command: "Command",
  notification: "Notification",
  agent: "Task",
}

export function authorLabel(author: string): string {
  return Object.hasOwn(LABELS, author) ? (LABELS[author] ?? author) : author
}

/** Whether this author is a person, or an agent that acts for a person. */
export function isPrompt(author: string): boolean {
  return author === "human" || author === "agent"
}
