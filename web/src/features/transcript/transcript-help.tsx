import { Dialog, DialogHeader } from "@/ui/dialog"
import { KbdSequence } from "@/ui/kbd"
import { shortcutGroups } from "@/ui/shortcuts"

const GROUPS = shortcutGroups(["transcript", "moving", "everywhere"])

/** The list of the keys of this page. */
export function TranscriptHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keys" onClose={onClose} className="max-w-md">
      <DialogHeader title="Keys of the transcript" onClose={onClose} />
      {/* A box that scrolls must be reachable by keyboard. */}
      <div role="region" aria-label="Keys of the transcript" tabIndex={0} className="max-h-[min(38rem,75dvh)] overflow-y-auto p-4 outline-none">
        {GROUPS.map(([title, lines]) => (
          <section key={title} className="mb-4 last:mb-0">
            <h3 className="mb-1 text-sm font-semibold text-ink-2">{title}</h3>
            <dl className="divide-y divide-line">
              {lines.map(([keys, meaning]) => (
                <div key={keys} className="grid grid-cols-[5rem_1fr] gap-4 py-1.5">
                  <dt>
                    <KbdSequence keys={keys} />
                  </dt>
                  <dd className="text-ink-2">{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
