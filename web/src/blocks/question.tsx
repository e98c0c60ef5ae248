import { Circle, CircleCheck, CornerDownLeft, Square, SquareCheck } from "lucide-react"
import { cx } from "@/ui/cx"
import type { QuestionBlock } from "./shapes"
import { seen, seenLine } from "./text/seen"

/** A question to a person, with the chosen answer. */
export function Question({ block }: { block: QuestionBlock }) {
  const chosen = block.options.filter((option) => option.is_chosen).map((option) => option.label)
  return (
    <div className="question">
      <p>
        {block.header ? <span className="question-header">{seenLine(block.header)}</span> : null}
        <span className="font-medium">{seen(block.question)}</span>
      </p>
      <ul className="mt-2 flex flex-col gap-1">
        {block.options.map((option, index) => {
          const Icon = iconOf(option.is_chosen, block.is_multiple)
          return (
            <li key={index} className={cx("question-option", option.is_chosen && "chosen")}>
              <Icon aria-hidden className="mt-[3px] size-3.5 shrink-0" />
              <span className="min-w-0 break-words">
                <span className={cx(option.is_chosen && "font-medium")}>{seen(option.label)}</span>
                {option.is_chosen ? <span className="sr-only"> (chosen)</span> : null}
                {option.description ? <span className="text-ink-2"> {seen(option.description)}</span> : null}
              </span>
            </li>
          )
        })}
        {block.answer !== null && block.answer !== chosen.join(", ") ? (
          <li className="question-option chosen">
            <CornerDownLeft aria-hidden className="mt-[3px] size-3.5 shrink-0" />
            <span className="min-w-0 break-words whitespace-pre-wrap">{seen(block.answer)}</span>
          </li>
        ) : null}
      </ul>
    </div>
  )
}

function iconOf(isChosen: boolean, isMultiple: boolean) {
  if (isMultiple) return isChosen ? SquareCheck : Square
  return isChosen ? CircleCheck : Circle
}
