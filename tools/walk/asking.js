/** Returns what the server has of a conversation: its threads, the branches of each, and the ids of their rows. */
async (name) => {
  const ask = async (path, parameters) => {
    const answer = await fetch(`/api/conversations/${name}${path}?` + new URLSearchParams(parameters))
    if (!answer.ok) throw new Error(`${path} of ${name}: ${answer.status}`)
    return answer.json()
  }
  const rowsOf = async (thread, branch) => {
    const ids = []
    const asked = { thread, internal: "true", limit: "200", ...(branch ? { branch } : {}) }
    let after = ""
    while (after !== null) {
      const page = await ask("/rows", { ...asked, after })
      ids.push(...page.rows.map((row) => row.row.id))
      after = page.after
    }
    return ids
  }
  const detail = await ask("", {})
  const threads = ["", ...detail.threads.map((thread) => thread.id).filter((id) => id !== "")]
  const found = []
  for (const thread of threads) {
    // The watch of the page reports a refused request; the rows can be read without the outline.
    const outline = await ask("/outline", { thread }).catch(() => ({ branches: [] }))
    found.push({ thread, branch: "", rows: await rowsOf(thread, "") })
    for (const head of outline.branches.flatMap((point) => point.heads))
      if (!head.is_active) found.push({ thread, branch: head.id, rows: await rowsOf(thread, head.id) })
  }
  return found
}
