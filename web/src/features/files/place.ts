import type { FileScope } from "@/api/backend"
import type { FileShown, FileVersionShown } from "@/api/schema"

export type FilesView = "unified" | "side" | "blame"

/** What the page shows; null means the usual: the newest version, compared with the one before it. */
export interface FilesPlace {
  file: string | null
  before: number | null
  after: number | null
  view: FilesView
  ignoresSpace: boolean
  scope: FileScope
}

export type GoToFiles = (place: FilesPlace) => void

/** The two versions that are compared: `before` is 0 for the time before the first version. */
export interface Compared {
  before: number
  after: number
}

/** Returns the versions that the address means. Without any, the whole change of the file up to its last known state. */
export function comparedOf(file: FileShown, { before, after }: Pick<FilesPlace, "before" | "after">): Compared {
  const last = within(after, file.versions.length) ?? lastKnown(file)?.number ?? file.versions.length
  const first = before === 0 ? 0 : (within(before, file.versions.length) ?? (after === null ? startOf(file) : previous(file, last)))
  return { before: first, after: last }
}

/** The number of the version before this one whose content is known; 0 if there is none. */
export function previous(file: FileShown, number: number): number {
  return file.versions.slice(0, number - 1).findLast(isKnown)?.number ?? 0
}

export function isKnown(version: FileVersionShown): boolean {
  return version.certainty !== "unknown"
}

function lastKnown(file: FileShown): FileVersionShown | undefined {
  return file.versions.findLast(isKnown)
}

function startOf(file: FileShown): number {
  const first = file.versions[0]
  return first !== undefined && first.is_start ? first.number : 0
}

function within(number: number | null, most: number): number | null {
  return number !== null && number >= 1 && number <= most ? number : null
}
