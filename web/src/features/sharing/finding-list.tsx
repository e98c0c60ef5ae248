import { X } from "lucide-react"
import { type FormEvent, useState } from "react"
import type { FindingShown } from "@/api/schema"
import { count, several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { Button, IconButton } from "@/ui/button"
import { type Choices, withAdded, withAllowed, withReplacement } from "./choices"

type OnChoices = (choices: Choices) => void

/** What redaction found, with a choice for each; and the texts that the reader hides in addition. */
export function FindingList({
  findings,
  isRead,
  choices,
  onChoices,
}: {
  findings: readonly FindingShown[]
  isRead: boolean
  choices: Choices
  onChoices: OnChoices
}) {
  return (
    <section aria-label="Findings" className="flex flex-col gap-2">
      <h3 className="text-sm font-medium text-ink-2">
        {isRead ? `Hidden in the file: ${several(findings.filter(isHidden).length, "value")}` : "Looking for secrets and names …"}
      </h3>
      {findings.length === 0 ? null : (
        <div role="region" aria-label="List of findings" tabIndex={0} className="max-h-64 overflow-auto rounded-md border border-line">
          <table className="w-full text-sm">
            <thead>
              <tr className="text-left text-ink-2">
                <th scope="col" className="px-2 py-1 font-medium">Hide</th>
                <th scope="col" className="px-2 py-1 font-medium">What</th>
                <th scope="col" className="px-2 py-1 font-medium">Value</th>
                <th scope="col" className="px-2 py-1 text-right font-medium max-sm:hidden">Times</th>
                <th scope="col" className="px-2 py-1 font-medium">Shown as</th>
              </tr>
            </thead>
            <tbody>
              {findings.map((finding) => (
                <FindingRow key={finding.placeholder} finding={finding} choices={choices} onChoices={onChoices} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <AddedTexts choices={choices} onChoices={onChoices} />
    </section>
  )
}

function isHidden({ kind, is_allowed }: FindingShown): boolean {
  return kind !== "image" && !is_allowed
}

function FindingRow({ finding, choices, onChoices }: { finding: FindingShown; choices: Choices; onChoices: OnChoices }) {
  const { placeholder, title, preview, kind } = finding
  const isAllowed = choices.allowed.includes(placeholder)
  return (
    <tr className="border-t border-line align-baseline">
      <td className="px-2 py-1">
        {kind === "image" ? null : (
          <input
            type="checkbox"
            aria-label={`Hide ${placeholder}`}
            checked={!isAllowed}
            onChange={(event) => onChoices(withAllowed(choices, finding, !event.target.checked))}
          />
        )}
      </td>
      <td className="px-2 py-1">{title}</td>
      <td className="min-w-24 px-2 py-1 font-mono wrap-anywhere">{seenLine(preview)}</td>
      <td className="px-2 py-1 text-right tabular-nums max-sm:hidden">{count(finding.count)}</td>
      <td className="px-2 py-1">
        {kind === "image" ? null : (
          <input
            aria-label={`Text instead of ${placeholder}`}
            className="w-full min-w-28 rounded border border-line-strong bg-surface px-1.5 py-0.5 font-mono"
            placeholder={placeholder}
            disabled={isAllowed}
            maxLength={100}
            value={choices.replaced[placeholder] ?? ""}
            onChange={(event) => onChoices(withReplacement(choices, finding, event.target.value))}
          />
        )}
      </td>
    </tr>
  )
}

function AddedTexts({ choices, onChoices }: { choices: Choices; onChoices: OnChoices }) {
  const [text, setText] = useState("")
  const add = (event: FormEvent) => {
    event.preventDefault()
    onChoices(withAdded(choices, text))
    setText("")
  }
  return (
    <>
      <form className="flex items-center gap-2" onSubmit={add}>
        <input
          aria-label="Another text to hide"
          className="min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2.5 py-1"
          placeholder="Hide another text, such as the name of a customer"
          value={text}
          maxLength={1000}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit">Hide</Button>
      </form>
      {choices.added.length === 0 ? null : (
        <ul className="flex flex-wrap gap-1">
          {choices.added.map((each) => (
            <li key={each} className="flex items-center gap-1 rounded-full bg-selected pl-2.5">
              <span className="max-w-60 truncate font-mono text-sm">{seenLine(each)}</span>
              <IconButton
                label={`Do not hide ${seenLine(each)}`}
                onClick={() => onChoices({ ...choices, added: choices.added.filter((other) => other !== each) })}
              >
                <X />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
