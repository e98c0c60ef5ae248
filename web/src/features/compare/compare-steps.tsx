import { useState } from "react"
import type { ComparedPair, ComparedStep, ComparisonAnswer } from "@/api/schema"
import { seenLine } from "@/blocks/text/seen"
import { several } from "@/blocks/text/figures"
import { PlaceLink } from "@/parts/place-link"
import { addressOf } from "@/parts/places"
import { Button } from "@/ui/button"
import { cx } from "@/ui/cx"
import { type Stretch, stretches } from "./stretches"
import "./compare.css"

/** The steps of both conversations; what is in both before they part is shown once, across both columns. */
export function CompareSteps({ compared }: { compared: ComparisonAnswer }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const { stem, pairs, a, b } = compared
  return (
    <table className="compare-steps">
      <caption className="sr-only">The steps of both conversations</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="sr-only">How they are related</span>
          </th>
          <th scope="col">A</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      {stretches(pairs, stem).map((each) =>
        each.isFolded && !opened.has(each.start) ? (
          <tbody key={each.start}>
            <tr>
              <td colSpan={3} className="compare-fold">
                <Button kind="quiet" onClick={() => setOpened(new Set([...opened, each.start]))}>
                  Show {several(each.pairs.length, "step")} in both
                </Button>
              </td>
            </tr>
          </tbody>
        ) : (
          <Pairs key={each.start} of={each} a={a.summary.name} b={b.summary.name} stem={stem} />
        ),
      )}
    </table>
  )
}

function Pairs({ of: { start, pairs, isStem }, a, b, stem }: { of: Stretch; a: string; b: string; stem: number }) {
  return (
    <tbody>
      {start === stem && stem > 0 ? (
        <tr className="compare-parting">
          <th colSpan={3} scope="colgroup">
            Here they part
          </th>
        </tr>
      ) : null}
      {pairs.map((pair, at) => (
        <tr key={start + at} data-relation={pair.has_other_result ? "result" : pair.relation}>
          <td className="compare-mark">
            <Mark pair={pair} />
          </td>
          {isStem && pair.a !== null && pair.b !== null ? (
            <td colSpan={2}>
              <Step step={pair.a} name={a} />
            </td>
          ) : (
            <>
              <td>{pair.a === null ? null : <Step step={pair.a} name={a} />}</td>
              <td>{pair.b === null ? null : <Step step={pair.b} name={b} />}</td>
            </>
          )}
        </tr>
      ))}
    </tbody>
  )
}

const MARKS: Record<ComparedPair["relation"], [string, string]> = {
  shared: ["=", "in both, copied"],
  same: ["=", "the same in both"],
  different: ["≠", "done in another way"],
  only: ["", ""],
}

function Mark({ pair }: { pair: ComparedPair }) {
  const [sign, words] =
    pair.a === null ? ["B", "only in B"] : pair.b === null ? ["A", "only in A"] : pair.has_other_result ? ["±", "the same call, another result"] : MARKS[pair.relation]
  return (
    <>
      <span aria-hidden title={words}>
        {sign}
      </span>
      <span className="sr-only">{words}</span>
    </>
  )
}

const KINDS: Record<ComparedStep["kind"], string> = {
  prompt: "You",
  answer: "Claude",
  call: "",
  compaction: "Client",
  failure: "Failed",
}

function Step({ step, name }: { step: ComparedStep; name: string }) {
  const hasFailed = step.kind === "failure" || step.state === "failed" || step.state === "refused"
  return (
    <PlaceLink href={addressOf(name, { at: step.item })} className={cx("compare-step", step.is_abandoned && "abandoned")} data-kind={step.kind}>
      {step.agent === "" ? null : <span className="compare-agent">{seenLine(step.agent)}</span>}
      <span className="compare-kind">{step.kind === "call" ? seenLine(step.label) : KINDS[step.kind]}</span>{" "}
      <span dir="auto">{seenLine(step.words)}</span>
      {hasFailed && step.kind === "call" ? <span className="compare-failed"> {step.state}</span> : null}
    </PlaceLink>
  )
}
