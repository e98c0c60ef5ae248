import { Circle, CircleCheck, CircleDashed, CircleDot, CircleX } from "lucide-react"
import { cx } from "@/ui/cx"
import type { TodoItem, TodosBlock } from "./shapes"
import { seen, seenLine } from "./text/seen"

const ICONS = {
  completed: { icon: CircleCheck, look: "text-running" },
  in_progress: { icon: CircleDot, look: "text-accent" },
  pending: { icon: Circle, look: "text-ink-3" },
  deleted: { icon: CircleX, look: "text-ink-3" },
} as const

function isKnown(status: string): status is keyof typeof ICONS {
  return Object.hasOwn(ICONS, status)
}

/** A list of things to do, in order. */
export function Todos({ block }: { block: TodosBlock }) {
  return (
    <ul className="flex flex-col gap-1 py-0.5">
      {block.items.map((item, index) => (
        <Todo key={index} item={item} />
      ))}
    </ul>
  )
}

function Todo({ item }: { item: TodoItem }) {
  const known = isKnown(item.status) ? ICONS[item.status] : { icon: CircleDashed, look: "text-ink-3" }
  const Icon = known.icon
  return (
    <li className="flex items-start gap-2">
      <Icon aria-hidden className={cx("mt-[3px] size-3.5 shrink-0", known.look)} />
      <span className="sr-only">{seenLine(item.status.replace("_", " "))}: </span>
      <span className="min-w-0 break-words">
        {item.id ? <span className="text-ink-3 tabular-nums">#{seenLine(item.id)} </span> : null}
        <span
          className={cx(
            item.status === "completed" && "text-ink-2 line-through decoration-line-strong",
            item.status === "in_progress" && "font-medium",
          )}
        >
          {seen(item.text)}
        </span>
        {item.note ? <span className="text-ink-3"> · {seen(item.note)}</span> : null}
        {item.status && !isKnown(item.status) ? <span className="text-ink-3"> ({seenLine(item.status)})</span> : null}
      </span>
    </li>
  )
}
