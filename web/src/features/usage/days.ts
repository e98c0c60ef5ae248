/** Days without usage between the first and the last one, so that a chart of days has no hidden gaps. Pure. */

const DAY_MS = 86_400_000
const MAX_DAYS = 800

/** The keys of all days from the first to the last; the given ones if they are no days, or far too many. */
export function everyDay(keys: readonly string[]): readonly string[] {
  const days = keys.filter((key) => /^\d{4}-\d\d-\d\d$/.test(key))
  const first = Date.parse(`${days[0] ?? ""}T00:00:00Z`)
  const last = Date.parse(`${days.at(-1) ?? ""}T00:00:00Z`)
  const number = (last - first) / DAY_MS + 1
  if (days.length < keys.length || !(number > 0 && number <= MAX_DAYS)) return keys
  return Array.from({ length: number }, (_, n) => new Date(first + n * DAY_MS).toISOString().slice(0, 10))
}
