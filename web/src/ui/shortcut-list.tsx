import { KbdSequence } from "./kbd"
import type { shortcutGroups } from "./shortcuts"

/** The title of a group of keys, and what each key does. */
export function ShortcutList({
  group: [title, lines],
  lineClassName,
}: {
  group: ReturnType<typeof shortcutGroups>[number]
  /** The columns and the space of a line. */
  lineClassName: string
}) {
  return (
    <>
      <h3 className="mb-1 text-sm font-semibold text-ink-2">{title}</h3>
      <dl className="divide-y divide-line">
        {lines.map(([keys, meaning]) => (
          <div key={keys} className={lineClassName}>
            <dt>
              <KbdSequence keys={keys} />
            </dt>
            <dd className="text-ink-2">{meaning}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
