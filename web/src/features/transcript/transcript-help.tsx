import { Dialog, DialogHeader } from "@/ui/dialog"
import { ShortcutList } from "@/ui/shortcut-list"
import { shortcutGroups } from "@/ui/shortcuts"

const GROUPS = shortcutGroups(["transcript", "replay", "moving", "everywhere"])

/** The list of the keys of this page. */
export function TranscriptHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keys" onClose={onClose} className="max-w-md">
      <DialogHeader title="Keys of the transcript" onClose={onClose} />
      {/* A box that scrolls must be reachable by keyboard. */}
      <div role="region" aria-label="Keys of the transcript" tabIndex={0} className="max-h-[min(38rem,75dvh)] overflow-y-auto p-4 outline-none">
        {GROUPS.map((group) => (
          <section key={group[0]} className="mb-4 last:mb-0">
            <ShortcutList group={group} lineClassName="grid grid-cols-[5rem_1fr] gap-4 py-1.5" />
          </section>
        ))}
      </div>
    </Dialog>
  )
}
