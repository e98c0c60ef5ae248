import type { EditedFile, EditedTurn, EditShown, UndoAsked, UndoFile } from "@/api/schema"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"

/** What a person wants to undo: what the server is asked, and its name for the person. */
export interface Undoing {
  asked: UndoAsked
  /** What is undone, as the rest of "Undo …". */
  what: string
}

/** One file with everything that was done to it, in order. */
export interface FileEdits {
  key: string
  path: string
  edits: { edit: EditShown; file: EditedFile }[]
}

/** The name of an edit: its tool, or how it came about. */
export function editInWords(edit: EditShown): string {
  if (edit.kind === "undo") return "Undo"
  if (edit.kind === "switch") return seenLine(edit.title)
  if (edit.kind === "turn") return "Until the end of the turn"
  return seenLine(edit.tool) || "Call"
}

export function turnInWords(turn: EditedTurn): string {
  if (turn.is_undo) return "Undo"
  return turn.turn === 0 ? "Turn not known" : `Turn ${turn.turn}`
}

/** What happens to a file, as a sentence about it. */
export function outcomeInWords(file: UndoFile, isDone: boolean): string {
  switch (file.outcome) {
    case "restored":
      return isDone ? "has its old content again" : "gets its old content back"
    case "deleted":
      return isDone ? "was deleted" : "is deleted, because it was created here"
    case "merged":
      return isDone ? "lost these changes and kept later ones" : "was changed since: only these changes are taken out, later ones stay"
    case "conflict":
      return `${isDone ? "stayed" : "stays"} as it is: ${seenLine(file.reason)}`
    case "failed":
      return `could not be written, and is as it was: ${seenLine(file.reason)}`
    case "nothing":
      return "is already as it was before"
  }
}

/** Whether undoing changes the file at all. */
export function isOffered(file: UndoFile): boolean {
  return file.outcome === "restored" || file.outcome === "deleted" || file.outcome === "merged"
}

/** The files of all turns in order of their paths, each with its edits; undos are part of it. */
export function editsByFile(turns: readonly EditedTurn[]): FileEdits[] {
  const found = new Map<string, FileEdits>()
  for (const edit of turns.flatMap((turn) => turn.edits)) {
    for (const file of edit.files) {
      const known = found.get(file.key) ?? { key: file.key, path: file.path, edits: [] }
      known.edits.push({ edit, file })
      found.set(file.key, known)
    }
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

/** The sums of lines; files that are no text do not count. */
export function sums(files: readonly EditedFile[]): { added: number; removed: number } {
  let [added, removed] = [0, 0]
  for (const file of files) {
    added += file.added ?? 0
    removed += file.removed ?? 0
  }
  return { added, removed }
}

/** The number of different files, in words. */
export function filesInWords(edits: readonly EditShown[]): string {
  const keys = new Set(edits.flatMap((edit) => edit.files.map((file) => file.key)))
  return several(keys.size + edits.reduce((sum, edit) => sum + edit.more, 0), "file")
}
