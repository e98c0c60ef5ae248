/** The `claude --resume` command for a shell, including the change to the right folder; null for an invalid id. Pure. */
export function resumeCommand(id: string, folder: string | null): string | null {
  if (!/^[\w-]{1,100}$/.test(id)) return null
  const resume = `claude --resume ${id}`
  const change = cdCommand(folder)
  return change === null ? resume : `${change} && ${resume}`
}

/**
 * The command that changes to a folder, for a shell; null if the path is not absolute.
 *
 * A transcript can claim any folder. Quoting does not help against control characters: a terminal acts on pasted ones
 * before the shell reads the line.
 */
export function cdCommand(folder: string | null): string | null {
  if (folder === null || !/^(?:\/|[A-Za-z]:[\\/])\P{C}*$/u.test(folder)) return null
  return `cd ${quoted(folder)}`
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
