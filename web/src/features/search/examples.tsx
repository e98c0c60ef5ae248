const EXAMPLES = [
  ["timeout role:user after:7d", "what you said about timeouts in the last week"],
  ['tool:Bash is:error "permission denied"', "commands that failed for want of a permission"],
  ["file:*.py tool:Edit,Write on:yesterday", "what was written to Python files yesterday"],
  ["cost>5 -branch:main", "expensive conversations outside the main branch"],
  ["tool:Bash is:error -> tool:Edit ->3 tool:Bash", "failed commands, an edit, and another try"],
] as const

/** Example queries, to click on. */
export function Examples({ onQuery }: { onQuery: (q: string) => void }) {
  return (
    <section className="mx-auto max-w-xl px-5 py-12">
      <h2 className="text-md font-semibold">Search everything that was ever said or done</h2>
      <p className="mt-1 text-ink-2">Words find messages, commands, file names and results. Fields narrow them down.</p>
      <ul className="mt-5 divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
        {EXAMPLES.map(([query, meaning]) => (
          <li key={query}>
            <button
              type="button"
              onClick={() => onQuery(query)}
              className="flex w-full flex-col gap-0.5 px-4 py-2 text-left hover:bg-hover focus-visible:outline-offset-[-2px]"
            >
              <code className="font-mono text-base">{query}</code>
              <span className="text-sm text-ink-3">{meaning}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
