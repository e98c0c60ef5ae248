/** `claude --resume` for a shell, from the folder it must be run in; null for an id that is none. Pure. */
export function resumeCommand(id: string, folder: string | null): string | null {
  if (!/^[\w-]{1,100}$/.test(id)) return null
  const resume = `claude --resume ${id}`
  return folder === null ? resume : `cd ${quoted(folder)} && ${resume}`
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
