/** Which conversations are told row by row, and whether a change of one of them can have been missed. Pure. */

/** The server takes no more than this. */
const MOST_FOLLOWED = 8

/** Names once each, the newest wishes first to be kept. */
export function followed(wishes: readonly string[]): string[] {
  return [...new Set(wishes.toReversed())].slice(0, MOST_FOLLOWED).toReversed()
}

/**
 * The server sends the rows of a followed conversation right before the change that they belong to, with the same place
 * of the feed, also when there are none. A change that comes without them was told before the server knew of the wish
 * to follow: then the conversation is to be read again.
 */
export class RowsReceived {
  readonly #last = new Map<string, number>()

  /** The rows of this conversation up to a place of the feed have come. */
  add(name: string, seq: number): void {
    this.#last.set(name, seq)
  }

  /** Whether the rows that belong to a change of this conversation have not come. */
  isMissed(name: string, seq: number): boolean {
    return this.#last.get(name) !== seq
  }

  /** These are all that is followed now. */
  keepOnly(names: readonly string[]): void {
    for (const name of this.#last.keys()) if (!names.includes(name)) this.#last.delete(name)
  }
}
