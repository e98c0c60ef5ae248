/** Who wrote a message, as a reader calls them: the words of `core/views/figures.py`. */

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

/** Whether a person, or an agent in their place, asks something here. */
export function isPrompt(author: string): boolean {
  return author === "human" || author === "agent"
}
