import type { FileShown } from "@/api/schema"
import { SeenText } from "@/blocks/seen-text"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"
import { stateOf } from "./version-words"

interface FileListProps {
  files: readonly FileShown[]
  /** How many more files there are. */
  more: number
  chosen: string | null
  onChoose: (path: string) => void
}

/** All files with the number of lines that were added and removed; changed files come first. */
export function FileList({ files, more, chosen, onChoose }: FileListProps) {
  const changed = files.filter((file) => file.versions.some((version) => !version.is_start))
  const read = files.filter((file) => !changed.includes(file))
  return (
    <>
      <Group title={several(changed.length, "changed file")} files={changed} chosen={chosen} onChoose={onChoose} />
      <Group title={`${several(read.length, "file")} only read`} files={read} chosen={chosen} onChoose={onChoose} />
      {more === 0 ? null : <p className="px-4 py-2 text-sm text-ink-3">{several(more, "more file")} not shown</p>}
    </>
  )
}

function Group({ title, files, chosen, onChoose }: { title: string } & Omit<FileListProps, "more">) {
  if (files.length === 0) return null
  return (
    <section className="py-2">
      <h2 className="px-4 py-1 text-sm font-semibold text-ink-2">{title}</h2>
      <ul>
        {files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              aria-current={file.path === chosen}
              onClick={() => onChoose(file.path)}
              className={cx(
                "flex w-full min-w-0 items-center gap-2 px-4 py-1 text-left hover:bg-hover",
                file.path === chosen && "bg-selected",
              )}
            >
              <FileName file={file} />
              <Tally file={file} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The end of a path is what tells files apart: it stays when there is little room. */
function FileName({ file }: { file: FileShown }) {
  const cut = Math.max(file.name.lastIndexOf("/"), file.name.lastIndexOf("\\")) + 1
  return (
    <span className="flex min-w-0 flex-1 font-mono text-sm" {...tip(seenLine(file.path))}>
      <span className="min-w-0 truncate text-ink-3">
        <SeenText text={file.name.slice(0, cut)} />
      </span>
      <span className="max-w-full shrink-0 truncate">
        <SeenText text={file.name.slice(cut)} />
      </span>
    </span>
  )
}

function Tally({ file }: { file: FileShown }) {
  const last = file.versions.at(-1)
  return (
    <span className="flex shrink-0 gap-1.5 text-sm tabular-nums">
      {last !== undefined && (last.is_absent || last.certainty === "unknown") ? <span className="text-ink-3">{stateOf(last)}</span> : null}
      {file.added === 0 ? null : <span className="text-added">+{file.added}</span>}
      {file.removed === 0 ? null : <span className="text-removed">−{file.removed}</span>}
    </span>
  )
}
