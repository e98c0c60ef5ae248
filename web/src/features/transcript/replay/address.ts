/** The part of an address that names a moment of a replay. Pure. */

const MOMENT = /^[^!]*!\d!/
const TIME = /^\d{4}-\d{2}-\d{2}(?:T|$)/

/** Whether the place in an address is a moment, and not a row: the id of a moment, or a time. */
export function isMoment(at: string | null): boolean {
  return at !== null && (MOMENT.test(at) || TIME.test(at))
}
