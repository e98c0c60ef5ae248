import type { ConversationFacets } from "@/api/schema"
import { Facets } from "@/parts/facets"

interface DividedProps {
  facets: ConversationFacets
  q: string
  onQuery: (q: string) => void
}

const STARRED = "is:starred"
const ARCHIVED = "is:archived"

/** The number of conversations by field. A click narrows the list, another click undoes that. */
export function Divided({ facets, q, onQuery }: DividedProps) {
  const { workspaces, statuses, tags, starred, archived } = facets
  const own = [
    { value: "starred", label: "Starred", count: starred, term: STARRED },
    { value: "archived", label: "Archived", count: archived, term: ARCHIVED },
  ].filter(({ count, term }) => count > 0 || q.includes(term))
  return (
    <Facets
      facets={[
        { field: "yours", values: own },
        { field: "status", values: statuses },
        { field: "workspace", values: workspaces },
        { field: "tag", values: tags },
      ]}
      q={q}
      onQuery={onQuery}
    />
  )
}
