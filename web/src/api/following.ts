/** Which conversations are sent row by row, and whether a change of one of them was missed. Pure. */

/** The server accepts at most this number. */
const MAX_FOLLOWED = 8

/** Each name once; if there are too many, the newest requests are kept. */
export function followed(wishes: readonly string[]): string[] {
  return [...new Set(wishes.toReversed())].slice(0, MAX_FOLLOWED).toReversed()
}

/**
 * The server sends the rows of a followed conversation directly before the change that they belong to, with the same
 * position in the feed, even if there are no rows. If a change comes without them, the server sent it before it knew
 * that the conversation is followed; then the conversation has to be read again.
 */
export class RowsReceived {
  readonly #last = new Map<string, number>()

  /** Records that the rows of this conversation up to a position in the feed were received. */
  add(name: string, seq: number): void {
    this.#last.set(name, seq)
  }

  /** Whether the rows that belong to a change of this conversation were not received. */
  isMissed(name: string, seq: number): boolean {
    return this.#last.get(name) !== seq
  }

  /** Forgets all conversations except these, which are followed now. */
  keepOnly(names: readonly string[]): void {
    for (const name of this.#last.keys()) if (!names.includes(name)) this.#last.delete(name)
  }
}
