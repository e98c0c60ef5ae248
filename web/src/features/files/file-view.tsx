import { ArrowLeft, Download } from "lucide-react"
import { useBackend } from "@/api/follow"
import type { FileShown } from "@/api/schema"
import { SeenText } from "@/blocks/seen-text"
import { blameAddressOf, fileKeyOf, nameParts } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { buttonLook } from "@/ui/button"
import { Segments } from "@/ui/segments"
import { BlameView } from "./blame-view"
import { FileChanges } from "./file-changes"
import { comparedOf, isKnown, previous, type FilesPlace, type FilesView, type GoToFiles } from "./place"
import { VersionFacts } from "./version-facts"
import { VersionLine } from "./version-line"
import { stateOf } from "./version-words"

const VIEWS: readonly { value: FilesView; label: string }[] = [
  { value: "unified", label: "Unified" },
  { value: "side", label: "Side by side" },
  { value: "blame", label: "Blame" },
]

interface FileViewProps {
  name: string
  file: FileShown
  place: FilesPlace
  onGo: GoToFiles
}

/** One file: its versions on a line, and the difference between two of them, or who wrote each line of one. */
export function FileView({ name, file, place, onGo }: FileViewProps) {
  const backend = useBackend()
  const { before, after } = comparedOf(file, place)
  const version = file.versions[after - 1]
  const go = (change: Partial<FilesPlace>) => onGo({ ...place, before, after, ...change })
  return (
    <article aria-label={`Versions of ${file.name}`} className="flex flex-col gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <button type="button" onClick={() => onGo({ ...place, file: null })} className={`${buttonLook("quiet", "sm")} md:hidden`}>
          <ArrowLeft aria-hidden />
          All files
        </button>
        <h2 className="min-w-0 flex-1 font-mono text-base font-semibold break-all">
          <SeenText text={file.name} />
        </h2>
        <PlaceLink href={blameAddressOf(nameParts(name).workspace, fileKeyOf(file.path))} className={buttonLook("plain", "sm")}>
          Blame of the file now
        </PlaceLink>
        {version === undefined || version.is_absent || !isKnown(version) ? null : (
          <a
            href={backend.fileVersionUrl(name, { path: file.path, version: after, scope: place.scope })}
            download
            className={buttonLook("plain", "sm")}
          >
            <Download aria-hidden />
            Save version {after}
          </a>
        )}
      </div>
      {version === undefined ? (
        <p className="text-ink-2">No version of this file is recorded: only a part of it was read.</p>
      ) : (
        <>
          <VersionLine file={file} before={before} after={after} onChoose={(number) => go({ after: number, before: previous(file, number) })} />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            {place.view === "blame" ? null : (
              <>
                <VersionSelect label="From" file={file} value={before} hasNone onChange={(number) => go({ before: number })} />
                <VersionSelect label="To" file={file} value={after} onChange={(number) => go({ after: number })} />
                <label className="inline-flex items-center gap-1.5 text-sm text-ink-2">
                  <input type="checkbox" checked={place.ignoresSpace} onChange={(event) => go({ ignoresSpace: event.target.checked })} />
                  Ignore white space
                </label>
              </>
            )}
            <div className="sm:ml-auto">
              <Segments label="View" value={place.view} options={VIEWS} onChange={(view) => go({ view })} />
            </div>
          </div>
          <VersionFacts version={version} name={name} isWorkspace={place.scope === "workspace"} />
          {!isKnown(version) || file.versions[before - 1]?.certainty === "unknown" ? (
            <p className="text-ink-2">The content at this moment is not known, so there is nothing to compare. Choose another version.</p>
          ) : place.view === "blame" ? (
            <BlameView name={name} file={file} version={after} scope={place.scope} />
          ) : (
            <FileChanges name={name} file={file} before={before} after={after} place={place} />
          )}
        </>
      )}
    </article>
  )
}

interface VersionSelectProps {
  label: string
  file: FileShown
  value: number
  /** Whether the time before the first version can be chosen. */
  hasNone?: boolean
  onChange: (number: number) => void
}

function VersionSelect({ label, file, value, hasNone = false, onChange }: VersionSelectProps) {
  return (
    <label className="inline-flex items-center gap-1.5 text-sm text-ink-2">
      {label}
      <select
        aria-label={`${label} version`}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
        className="h-7 rounded-md border border-line-strong bg-surface px-1.5 text-ink"
      >
        {hasNone ? <option value={0}>before</option> : null}
        {file.versions.map((version) => (
          <option key={version.number} value={version.number} disabled={!isKnown(version)}>
            {version.number} · {stateOf(version)}
          </option>
        ))}
      </select>
    </label>
  )
}
