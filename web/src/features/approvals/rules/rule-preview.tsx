import type { ReactNode } from "react"
import type { RuleCase, RuleTest } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { groupsOf, summaryOf } from "./in-words"

/** What a rule would have decided, before anybody switches it on. */
export function RulePreview({ found, children }: { found: RuleTest; children: ReactNode }) {
  return (
    <section aria-label="What the rule would have decided" className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3">
      <p role="status">
        {summaryOf(found)}{" "}
        {found.questions === 0 ? null : `It would have answered ${found.saved} of ${several(found.questions, "question")} to people. `}
        {found.against_people === 0 ? null : <strong className="text-failed">People decided otherwise {found.against_people === 1 ? "once" : `${found.against_people} times`}. </strong>}
        {found.unasked === 0 ? null : <span className="text-interrupted">Of what it allows, nobody was asked about {found.unasked}.</span>}
      </p>
      <code className="font-mono text-sm wrap-anywhere text-ink-2">{found.text}</code>
      {groupsOf(found.shown).map(({ title, cases }) => (
        <Cases key={title} title={title} cases={cases} />
      ))}
      {found.more === 0 ? null : <p className="text-sm text-ink-3">And {several(found.more, "more group")} of requests.</p>}
      {children}
    </section>
  )
}

function Cases({ title, cases }: { title: string; cases: readonly RuleCase[] }) {
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-sm font-semibold text-ink-2">{title}</h3>
      <ul className="flex max-h-64 flex-col gap-0.5 overflow-y-auto" aria-label={title}>
        {cases.map((each) => (
          <li key={`${each.title} ${String(each.was_asked)} ${each.decided ?? ""}`} className="flex min-w-0 gap-2 text-sm">
            <span className="w-10 shrink-0 text-right text-ink-3 tabular-nums">{each.times}×</span>
            <span className="min-w-0 flex-1">
              <code className="font-mono wrap-anywhere">{each.title}</code>
              {each.decided === null ? null : (
                <span className="text-ink-3"> · {each.decided === "allow" ? "people allowed it" : "people denied it"}</span>
              )}
              {each.why === "" ? null : <span className="block break-words text-ink-3">{each.why}</span>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
