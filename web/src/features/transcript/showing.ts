/** What the reader wants to see of a conversation, whichever of its threads they read. */
export interface Showing {
  isInternal: boolean
  isWrapped: boolean
  isOutline: boolean
  isPanel: boolean
}

export type PutShowing = (change: Partial<Showing>) => void
