import { TriangleAlert } from "lucide-react"
import type { ApprovalHint } from "@/api/schema"
import { Quoted } from "./quoted"

/** What could go wrong. These hints decide nothing. */
export function CardHints({ hints }: { hints: readonly ApprovalHint[] }) {
  if (hints.length === 0) return null
  return (
    <ul aria-label="Risks" className="approval-hints">
      {hints.map(({ kind, words }) => (
        <li key={`${kind} ${words}`}>
          <TriangleAlert aria-hidden />
          <span className="min-w-0">
            <Quoted text={words} />
          </span>
        </li>
      ))}
    </ul>
  )
}
