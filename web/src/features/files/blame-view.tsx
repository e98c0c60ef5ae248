import { useQuery } from "@tanstack/react-query"
import type { FileScope } from "@/api/backend"
import { useBackend } from "@/api/follow"
import type { FileShown } from "@/api/schema"
import { SeenText } from "@/blocks/seen-text"
import { several } from "@/blocks/text/figures"
import { addressOf } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { ErrorState } from "@/ui/error-state"
import { Skeleton } from "@/ui/skeleton"
import { makerOf, stateOf } from "./version-words"
import "./blame.css"

/** The lines of a version, each group with the version it came with and a link to the call that wrote it. */
export function BlameView({ name, file, version, scope }: { name: string; file: FileShown; version: number; scope: FileScope }) {
  const backend = useBackend()
  const asked = { path: file.path, version, scope }
  const blame = useQuery({
    queryKey: ["file-blame", name, asked, file.versions.length],
    queryFn: ({ signal }) => backend.fileBlame(name, asked, signal),
  })
  if (blame.error !== null) return <ErrorState title="The lines cannot be shown" message={blame.error.message} />
  if (blame.data === undefined) return <Skeleton className="h-40" />
  if (blame.data.groups.length === 0) return <p className="text-ink-2">The file is empty at this version.</p>
  return (
    <div className="blame" role="group" aria-label="Lines and the calls that wrote them" tabIndex={0}>
      {blame.data.groups.map((group) => {
        const origin = file.versions[group.version - 1]
        if (origin === undefined) return null
        const who = makerOf(origin)
        return (
          <div key={group.first} className="blame-group">
            <div className="blame-who">
              <span className="blame-version">v{origin.number}</span>{" "}
              {origin.call === "" || origin.is_start ? (
                <SeenText text={who} />
              ) : (
                <PlaceLink href={addressOf(origin.conversation_name || name, { at: `call:${origin.call}` })} className="blame-link">
                  <SeenText text={who} />
                </PlaceLink>
              )}
              {origin.certainty === "exact" ? null : <span className="blame-doubt"> {stateOf(origin)}</span>}
            </div>
            <pre className="blame-lines">
              {group.lines.map((line, index) => (
                <span key={index} className="blame-line" data-line={group.first + index}>
                  <SeenText text={line.replace(/\r$/, "")} />
                  {"\n"}
                </span>
              ))}
            </pre>
          </div>
        )
      })}
      {blame.data.cut_lines === 0 ? null : <p className="blame-more">{several(blame.data.cut_lines, "more line")} not shown</p>}
    </div>
  )
}
