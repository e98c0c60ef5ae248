import { useQuery } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import { seenLine } from "@/blocks/text/seen"

const ASK_MS = 3000

/** Permission requests of programs in tmux panes for which there is no card, each with the reason. */
export function OnlyInPanes() {
  const backend = useBackend()
  const { data } = useQuery({ queryKey: ["pane-prompts"], queryFn: ({ signal }) => backend.panePrompts(signal), refetchInterval: ASK_MS })
  const prompts = data?.prompts ?? []
  if (prompts.length === 0) return null
  return (
    <section aria-labelledby="only-in-panes-title" className="flex flex-col gap-2">
      <h2 id="only-in-panes-title" className="text-sm font-semibold text-ink-2">
        To be answered in their panes
      </h2>
      <ul className="approvals-list">
        {prompts.map(({ session, place, why }) => (
          <li key={`${place} ${session}`} className="flex min-w-0 flex-wrap gap-x-2">
            <code className="font-mono text-sm">{seenLine(place)}</code>
            <span className="min-w-0 break-words text-ink-2">asks for permission. There is no card for it: {seenLine(why)}.</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
