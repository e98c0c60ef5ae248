/** What the page shows: a file of a workspace, now or at a commit, and the line that a link names. */
export interface BlamePlace {
  workspace: string
  /** The key of the file; "" if none is chosen yet. */
  file: string
  /** "" for the folder as it is now. */
  revision: string
  line: number | null
}

export type GoToBlame = (place: BlamePlace) => void
