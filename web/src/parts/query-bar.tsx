import { CircleHelp } from "lucide-react"
import type { RefObject } from "react"
import { ProblemError } from "@/api/backend"
import { IconButton } from "@/ui/button"
import { QueryField } from "@/ui/query-field"
import { useAdvise } from "./use-advise"

interface QueryBarProps {
  label: string
  placeholder: string
  q: string
  onQuery: (q: string) => void
  error: unknown
  onHelp: () => void
  onLeave?: () => void
  field: RefObject<HTMLInputElement | null>
  autoFocus?: boolean
}

/** The query language, wherever one asks. */
export function QueryBar({ q, error, onHelp, ...rest }: QueryBarProps) {
  const advise = useAdvise()
  const fault = error instanceof ProblemError && error.kind === "bad_query" ? error : null
  return (
    <QueryField {...rest} value={q} advise={advise} fault={fault}>
      <IconButton label="How to ask" keys="?" className="size-6" onClick={onHelp}>
        <CircleHelp />
      </IconButton>
    </QueryField>
  )
}
