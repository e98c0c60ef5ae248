import { useId } from "react"
import { SeenText } from "@/blocks/seen-text"
import { Badge } from "@/ui/badge"
import { seenLine } from "@/blocks/text/seen"
import { type AskedQuestion, flipped, type Given, NOTHING } from "./questions"

/** Questions to answer with an option, or in one's own words. */
export function QuestionForm({
  questions,
  given,
  onGiven,
}: {
  questions: readonly AskedQuestion[]
  given: readonly Given[]
  onGiven: (given: Given[]) => void
}) {
  return questions.map((question, index) => (
    <QuestionField
      key={question.question}
      asked={question}
      given={given[index] ?? NOTHING}
      onGiven={(next) => onGiven(questions.map((_, at) => (at === index ? next : (given[at] ?? NOTHING))))}
    />
  ))
}

interface FieldProps {
  asked: AskedQuestion
  given: Given
  onGiven: (given: Given) => void
}

function QuestionField({ asked, given, onGiven }: FieldProps) {
  const id = useId()
  const type = asked.isMultiple ? "checkbox" : "radio"
  return (
    <fieldset className="approval-question">
      <legend>
        {asked.header === "" ? null : <Badge className="mr-1.5 align-[0.05em]">{seenLine(asked.header)}</Badge>}
        <SeenText text={asked.question} />
      </legend>
      {asked.options.map(({ label, description }, index) => (
        <div key={label} className="approval-offer">
          <input
            id={`${id}-${index}`}
            type={type}
            name={id}
            aria-describedby={description === "" ? undefined : `${id}-${index}-is`}
            checked={given.chosen.includes(label)}
            onChange={() => onGiven(flipped(asked, given, label))}
          />
          <div className="min-w-0 flex-1">
            <label htmlFor={`${id}-${index}`}>
              <SeenText text={label} />
            </label>
            {description === "" ? null : (
              <p id={`${id}-${index}-is`} className="text-sm break-words text-ink-2">
                <SeenText text={description} />
              </p>
            )}
          </div>
        </div>
      ))}
      <div className="approval-offer">
        <input id={`${id}-other`} type={type} name={id} checked={given.other !== null} onChange={() => onGiven(flipped(asked, given, null))} />
        <div className="min-w-0 flex-1">
          <label htmlFor={`${id}-other`}>Other</label>
          {given.other === null ? null : (
            <input
              type="text"
              aria-label="Your own answer"
              autoFocus
              value={given.other}
              maxLength={20_000}
              placeholder="In your own words"
              onChange={(event) => onGiven({ ...given, other: event.target.value })}
            />
          )}
        </div>
      </div>
    </fieldset>
  )
}
