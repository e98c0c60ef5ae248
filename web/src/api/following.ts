/** Which conversations are told row by row, and whether a change of one of them can have been missed. Pure. */

/** The server takes no more than this. */
const MOST_FOLLOWED = 8

/** Names once each, the newest wishes first to be kept. */
export function followed(wishes: readonly string[]): string[] {
  return [...new Set(wishes.toReversed())].slice(0, MOST_FOLLOWED).toReversed()
}

/**
 * From when a wish to follow holds is not told. A change that is announced for a followed conversation without its rows
 * beforehand shows that it did not hold yet: then the conversation is to be read again. Once rows have come, it holds.
 */
export class Sureness {
  readonly #sure = new Set<string>()

  /** Rows of this conversation were told. */
  rows(name: string): void {
    this.#sure.add(name)
  }

  /** Whether the rows of a change of this conversation were not told. */
  isMissed(name: string): boolean {
    return !this.#sure.has(name)
  }

  /** These are all that is followed now. */
  keepOnly(names: readonly string[]): void {
    for (const name of this.#sure) if (!names.includes(name)) this.#sure.delete(name)
  }
}
