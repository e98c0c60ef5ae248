import type { ReactNode } from "react"
import { seenLine } from "@/blocks/text/seen"
import { PlaceLink } from "@/parts/place-link"

/** The address of the list of the conversations that answer a query. */
function listAddress(query: string): string {
  return `/?${new URLSearchParams({ q: query })}`
}

/** A link to the list of the conversations of a line. The label comes from transcripts: hidden characters are shown. */
export function ListLink({ query, children }: { query: string; children: string }) {
  if (query === "") return <span>{seenLine(children)}</span>
  return (
    <PlaceLink href={listAddress(query)} className="text-accent hover:underline">
      {seenLine(children)}
    </PlaceLink>
  )
}

/** The same as a bar of a chart. The table behind the chart has the same links for the keyboard and for readers. */
export function BarLink({ query, children }: { query: string; children: ReactNode }) {
  if (query === "") return <g>{children}</g>
  return (
    <PlaceLink href={listAddress(query)} tabIndex={-1} className="usage-bar">
      {children}
    </PlaceLink>
  )
}
