/** Paths and names of places, as short as possible without being ambiguous. Pure. */

/** The last two folders of a path: `/home/me/code/shop/web` → `shop/web`. Windows paths too. */
export function shortPath(path: string): string {
  const parts = path.split(/[/\\]+/).filter((part) => part !== "")
  return parts.length === 0 ? path : parts.slice(-2).join("/")
}

/** The address of a conversation's page, or of a place in it. Each part of the name stays one segment. */
export function addressOf(name: string, place: { thread?: string; branch?: readonly string[]; at?: string | null; words?: readonly string[] } = {}): string {
  const query = new URLSearchParams()
  if (place.thread) query.set("thread", place.thread)
  for (const head of place.branch ?? []) query.append("branch", head)
  if (place.at) query.set("at", place.at)
  for (const word of place.words ?? []) query.append("word", word)
  const path = `/c/${name.split("/").map(encodeURIComponent).join("/")}`
  return query.size === 0 ? path : `${path}?${query}`
}

/** The three parts of the name of a conversation, as in the address of its page. */
export function nameParts(name: string): { workspace: string; agent: string; conversation: string } {
  const [workspace = "", agent = "", ...rest] = name.split("/")
  return { workspace, agent, conversation: rest.join("/") }
}
