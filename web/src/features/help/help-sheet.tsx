import { type ReactNode, useState } from "react"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { KbdSequence } from "@/ui/kbd"
import { Segments } from "@/ui/segments"
import { shortcutGroups } from "@/ui/shortcuts"

export type Topic = "keys" | "queries"

/** Groups of lines, each with what to type and what it means, below their titles. */
type Groups = readonly (readonly [string, readonly (readonly [string, string])[]])[]

const KEYS: Groups = [
  ...shortcutGroups(),
  [
    "Query field",
    [
      ["Tab", "accept the suggestion"],
      ["↓", "choose a suggestion, or go to the list"],
      ["Enter", "ask"],
    ],
  ],
]

const QUERIES: Groups = [
  [
    "Words",
    [
      ["login timeout", "entries with both words"],
      ['"login timeout"', "right after each other"],
      ["time*", "words with this beginning"],
      ["-word", "entries without it; also -tool:Bash, -(a b)"],
      ["a OR b", "either; parentheses group"],
    ],
  ],
  [
    "Fields",
    [
      ["role:user", "who speaks: user, assistant, tool, system"],
      ["tool:Edit,Write", "the tool that was called; a comma means any of"],
      ["file:src/*.py", "a file that the call names"],
      ["model:opus", "the model that answered"],
      ["workspace:shop", "the folder the conversation took place in"],
      ["branch:fix/*", "its git branch"],
      ["status:failed", "how it ended, or what it is doing"],
      ["tag:release", "a tag of yours; also is:starred, is:archived"],
      ["is:error", "failed; also is:subagent, is:prompt, is:approved, is:denied"],
      ["has:image", "also has:thinking"],
      ["cost>5", "dollars; also tokens>100k, messages<10"],
      ["regex:/time(d )?out/i", "a pattern"],
    ],
  ],
  [
    "Times",
    [
      ["after:7d", "the last seven days; also 12h, 2w, 3m"],
      ["on:yesterday", "that day; also on:2026-02, on:monday"],
      ["before:2026-02-03", "until just before it begins"],
    ],
  ],
  ["Sequences", [["tool:Bash is:error -> tool:Edit", "calls that were followed by others; ->3 within three"]]],
]

/** Keys and the query language, on one sheet. */
export function HelpSheet({ topic: first, onClose }: { topic: Topic; onClose: () => void }) {
  const [topic, setTopic] = useState(first)
  return (
    <Dialog label="Help" onClose={onClose} className="max-w-2xl">
      <DialogHeader title="Help" onClose={onClose} />
      <div className="border-b border-line px-4 py-2">
        <Segments
          label="Topic"
          value={topic}
          options={[
            { value: "keys", label: "Keys" },
            { value: "queries", label: "Queries" },
          ]}
          onChange={setTopic}
        />
      </div>
      {/* A box that scrolls must be reachable by keyboard. */}
      <div role="region" aria-label="Help text" tabIndex={0} data-autofocus className="outline-none max-h-[min(34rem,70dvh)] overflow-y-auto p-4">
        {topic === "keys" ? (
          <Table groups={KEYS} draw={(keys) => <KbdSequence keys={keys} />} />
        ) : (
          <Table groups={QUERIES} draw={(query) => <code className="font-mono text-sm break-words">{query}</code>} />
        )}
      </div>
    </Dialog>
  )
}

function Table({ groups, draw }: { groups: Groups; draw: (text: string) => ReactNode }) {
  return groups.map(([title, lines]) => (
    <section key={title} className="mb-5 last:mb-0">
      <h3 className="mb-1.5 text-sm font-semibold text-ink-2">{title}</h3>
      <dl className="divide-y divide-line">
        {lines.map(([text, meaning]) => (
          <div key={text} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-4 py-1.5">
            <dt>{draw(text)}</dt>
            <dd className="text-ink-2">{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}
