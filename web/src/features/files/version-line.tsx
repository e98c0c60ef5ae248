import type { FileShown, FileVersionShown } from "@/api/schema"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"
import { makerOf, stateOf } from "./version-words"

interface VersionLineProps {
  file: FileShown
  before: number
  after: number
  onChoose: (number: number) => void
}

/** The versions on a line, oldest first. Choosing one shows what it changed. */
export function VersionLine({ file, before, after, onChoose }: VersionLineProps) {
  return (
    <ol aria-label="Versions" className="flex gap-1 overflow-x-auto py-1">
      {file.versions.map((version) => {
        const isChosen = version.number === after
        return (
          <li key={version.number} className="shrink-0">
            <button
              type="button"
              aria-current={isChosen}
              onClick={() => onChoose(version.number)}
              className={cx(
                "flex h-8 items-center gap-1.5 rounded-md border px-2 text-sm tabular-nums",
                isChosen ? "border-ink bg-selected font-semibold" : "border-line hover:bg-hover",
                version.number === before && !isChosen && "border-dashed border-ink-3",
              )}
              {...tip(`Version ${version.number}: ${stateOf(version)}, ${makerOf(version)}`)}
            >
              <Mark version={version} />
              <span>
                <span className="sr-only">Version </span>
                {version.number}
                <span className="sr-only">, {stateOf(version)}, </span>
              </span>
              {version.added ? <span className="text-added">+{version.added}</span> : null}
              {version.removed ? <span className="text-removed">−{version.removed}</span> : null}
            </button>
          </li>
        )
      })}
    </ol>
  )
}

/** The certainty as a shape: filled, hollow or dashed. */
function Mark({ version }: { version: FileVersionShown }) {
  return (
    <span
      aria-hidden
      className={cx(
        "size-2.5 rounded-full border-2",
        version.certainty === "exact" && "border-running bg-running",
        version.certainty === "rebuilt" && "border-interrupted",
        version.certainty === "unknown" && "border-dashed border-ink-3",
      )}
    />
  )
}
