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

/** The address of the page with the files of a conversation. */
export function filesAddressOf(name: string): string {
  return `${addressOf(name)}/files`
}

/** The address of the page with what a conversation changed in files. */
export function changesAddressOf(name: string): string {
  return `${addressOf(name)}/changes`
}

/** The address of the page that shows which prompt wrote each line of a file; `file` is its key. */
export function blameAddressOf(workspace: string, file: string, place: { revision?: string; line?: number | null } = {}): string {
  const query = new URLSearchParams({ file })
  if (place.revision) query.set("rev", place.revision)
  if (place.line) query.set("line", String(place.line))
  return `/blame/${encodeURIComponent(workspace)}?${query}`
}

/** The key of a file of which only the path is known. */
export function fileKeyOf(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/")
}

/** The address of the page that compares two conversations; without the second one, of the choice of it. */
export function compareAddress(a: string, b?: string): string {
  return `/compare?${new URLSearchParams(b === undefined ? { a } : { a, b })}`
}

/** The three parts of the name of a conversation, as in the address of its page. */
export function nameParts(name: string): { workspace: string; agent: string; conversation: string } {
  const [workspace = "", agent = "", ...rest] = name.split("/")
  return { workspace, agent, conversation: rest.join("/") }
}
