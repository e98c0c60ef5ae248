/** `claude --resume` for a shell, from the folder it must be run in; null for an id that is none. Pure. */
export function resumeCommand(id: string, folder: string | null): string | null {
  if (!/^[\w-]{1,100}$/.test(id)) return null
  const resume = `claude --resume ${id}`
  const change = cdCommand(folder)
  return change === null ? resume : `${change} && ${resume}`
}

/**
 * `cd` into a folder, for a shell; null for what is no whole path.
 *
 * A transcript may say anything about its folder. Quotes do not help against control characters: a terminal that they
 * are pasted into acts on them before the shell reads the line.
 */
export function cdCommand(folder: string | null): string | null {
  if (folder === null || !/^(?:\/|[A-Za-z]:[\\/])\P{C}*$/u.test(folder)) return null
  return `cd ${quoted(folder)}`
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
