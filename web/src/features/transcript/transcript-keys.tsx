import { useEffect, useEffectEvent } from "react"
import { Dialog, DialogHeader } from "@/ui/dialog"
import { Kbd, keyName } from "@/ui/kbd"
import { pressedName, takesText, type Keys } from "@/ui/keys"

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
  ["mod+k", "jump to another conversation"],
  ["Esc", "close, or back to the call of a sub-agent"],
]

/** The keys of this page. They go first: some of them mean something else on other pages. */
export function useTranscriptKeys(keys: Keys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const pressed = pressedName(event)
    if (pressed === "" || event.defaultPrevented || event.isComposing) return
    if (takesText(event.target) && !pressed.startsWith("mod+")) return
    if (document.querySelector("dialog[open]") !== null) return
    const act = Object.hasOwn(keys, pressed) ? keys[pressed] : undefined
    if (act === undefined) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener("keydown", listen, { capture: true })
    return () => document.removeEventListener("keydown", listen, { capture: true })
  }, [])
}

export function TranscriptHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keys" onClose={onClose} className="max-w-md">
      <DialogHeader title="Keys of the transcript" onClose={onClose} />
      <dl className="divide-y divide-line overflow-y-auto p-4">
        {TABLE.map(([keys, meaning]) => (
          <div key={keys} className="grid grid-cols-[4rem_1fr] gap-4 py-1.5">
            <dt>
              <Kbd>{keys.startsWith("mod+") ? keyName(keys) : keys.startsWith("shift+") ? `Shift ${keys.slice(6).toUpperCase()}` : keys.length === 1 ? keys.toUpperCase() : keys}</Kbd>
            </dt>
            <dd className="text-ink-2">{meaning.replace("mod+f", keyName("mod+f"))}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
