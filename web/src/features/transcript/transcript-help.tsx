import { Dialog, DialogHeader } from "@/ui/dialog"
import { Kbd, keyName } from "@/ui/kbd"

const TABLE: readonly (readonly [string, string])[] = [
  ["j", "next message"],
  ["k", "previous message"],
  ["n", "next prompt"],
  ["p", "previous prompt"],
  ["Home", "beginning"],
  ["End", "end; follows what comes"],
  ["/", "find in conversation (or mod+f)"],
  ["e", "open or close the message's calls and thinking"],
  ["shift+e", "open all tool calls, or leave them"],
  ["t", "open all thinking, or leave it"],
  ["i", "internal records"],
  ["w", "wrap long lines"],
  ["o", "outline"],
  ["s", "session panel"],
  ["r", "raw record of the message"],
  ["y", "copy a link to the message"],
  ["f", "fork from the message"],
  ["m", "write to the agent, or go on"],
  ["mod+k", "jump to another conversation"],
  ["Esc", "close, or back to the call of a sub-agent"],
]

/** What the keys of this page do. */
export function TranscriptHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keys" onClose={onClose} className="max-w-md">
      <DialogHeader title="Keys of the transcript" onClose={onClose} />
      <dl className="divide-y divide-line overflow-y-auto p-4">
        {TABLE.map(([keys, meaning]) => (
          <div key={keys} className="grid grid-cols-[4rem_1fr] gap-4 py-1.5">
            <dt>
              <Kbd>{keyName(keys)}</Kbd>
            </dt>
            <dd className="text-ink-2">{meaning.replace("mod+f", keyName("mod+f"))}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
