import { CircleHelp } from "lucide-react"
import { useRef } from "react"
import { ProblemError } from "@/api/backend"
import { IconButton } from "@/ui/button"
import { useKeys } from "@/ui/keys"
import { QueryField } from "@/ui/query-field"
import { useAdvise } from "./use-advise"

interface QueryBarProps {
  label: string
  placeholder: string
  q: string
  onQuery: (q: string) => void
  error: unknown
  onHelp: () => void
  autoFocus?: boolean
}

/** The field for queries, used on every page that has one. */
export function QueryBar({ q, error, onHelp, ...rest }: QueryBarProps) {
  const field = useRef<HTMLInputElement>(null)
  useKeys({
    "/": () => {
      field.current?.focus()
      field.current?.select()
    },
  })
  const advise = useAdvise()
  const fault = error instanceof ProblemError && error.kind === "bad_query" ? error : null
  return (
    <QueryField {...rest} field={field} value={q} advise={advise} fault={fault}>
      <IconButton label="Query help" keys="?" className="size-6" onClick={onHelp}>
        <CircleHelp />
      </IconButton>
    </QueryField>
  )
}
