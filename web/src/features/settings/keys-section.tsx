import { KbdSequence } from "@/ui/kbd"
import { shortcutGroups } from "@/ui/shortcuts"
import { Section } from "./section"

/** All keys, from the list that also binds them. */
export function Keys() {
  return (
    <Section title="Keyboard shortcuts">
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        {shortcutGroups().map(([title, lines]) => (
          <div key={title}>
            <h3 className="mb-1 text-sm font-semibold text-ink-2">{title}</h3>
            <dl className="divide-y divide-line">
              {lines.map(([keys, meaning]) => (
                <div key={keys} className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-2 py-1">
                  <dt>
                    <KbdSequence keys={keys} />
                  </dt>
                  <dd className="text-ink-2">{meaning}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </Section>
  )
}
