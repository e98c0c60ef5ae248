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
              className={cx("w-full px-4 py-1 text-left hover:bg-hover pointer-coarse:min-h-11", file.path === chosen && "bg-selected")}
              {...tip(seenLine(file.path))}
            >
              <FileName file={file} />
              <FolderAndState file={file} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Where the name of a file begins in its path. */
function cutOf(file: FileShown): number {
  return Math.max(file.name.lastIndexOf("/"), file.name.lastIndexOf("\\")) + 1
}

function FileName({ file }: { file: FileShown }) {
  return (
    <span className="flex gap-2 text-sm">
      <span className="min-w-0 flex-1 truncate font-mono">
        <SeenText text={file.name.slice(cutOf(file))} />
      </span>
      <span className="flex shrink-0 gap-1.5 tabular-nums">
        {file.added === 0 ? null : <span className="text-added">+{file.added}</span>}
        {file.removed === 0 ? null : <span className="text-removed">−{file.removed}</span>}
      </span>
    </span>
  )
}

/** A second line, if there is something to say in it. */
function FolderAndState({ file }: { file: FileShown }) {
  const last = file.versions.at(-1)
  const folder = file.name.slice(0, cutOf(file))
  const state = last !== undefined && (last.is_absent || last.certainty === "unknown") ? stateOf(last) : ""
  if (folder === "" && state === "") return null
  return (
    <span className="flex gap-2 text-xs text-ink-3">
      <span className="min-w-0 flex-1 truncate font-mono">
        <SeenText text={folder} />
      </span>
      <span className="shrink-0">{state}</span>
    </span>
  )
}
