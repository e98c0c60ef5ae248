import { ShortcutList } from "@/ui/shortcut-list"
import { shortcutGroups } from "@/ui/shortcuts"
import { Section } from "./section"

/** All keys, from the list that also binds them. */
export function Keys() {
  return (
    <Section title="Keyboard shortcuts">
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        {shortcutGroups().map((group) => (
          <div key={group[0]}>
            <ShortcutList group={group} lineClassName="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-2 py-1" />
          </div>
        ))}
      </div>
    </Section>
  )
}
