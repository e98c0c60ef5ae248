/** What the reader wants to see of a conversation, in all of its threads. */
export interface Showing {
  isInternal: boolean
  isWrapped: boolean
  isOutline: boolean
  isPanel: boolean
}

export type PutShowing = (change: Partial<Showing>) => void
