/** The records behind a row. Pure. */

import type { PageRow, RecordPlace } from "@/api/schema"

export interface RowRecord {
  place: RecordPlace
  /** The ids of the parts of the row that the record contains. */
  ids: readonly string[]
  label: string
}

/** Returns each record once, in the order of the row. */
export function recordsOf(row: PageRow): RowRecord[] {
  const found = new Map<string, { place: RecordPlace; ids: string[] }>()
  for (const [id, place] of Object.entries(row.places)) {
    const key = `${place.stream}\n${place.at}`
    const known = found.get(key)
    if (known) known.ids.push(id)
    else found.set(key, { place, ids: [id] })
  }
  const all = [...found.values()].toSorted((one, other) => rank(one.ids) - rank(other.ids) || one.place.at - other.place.at)
  return all.map((record, index) => ({ ...record, label: labelOf(record.ids, index) }))
}

function rank(ids: readonly string[]): number {
  return isResult(ids) ? 1 : 0
}

function labelOf(ids: readonly string[], index: number): string {
  return `${isResult(ids) ? "result" : "record"} ${index + 1}`
}

/** Whether a record contains the result of a call: such a record never contains a message. */
function isResult(ids: readonly string[]): boolean {
  return ids.some((id) => id.startsWith("result:"))
}

/** Returns the records of a call and of its result, as far as they are known. */
export function placesOfCall(places: Record<string, RecordPlace>, call: string): { id: string; label: string }[] {
  const asked = [call, `call:${call}`].find((id) => Object.hasOwn(places, id))
  const given = `result:${call}`
  return [
    ...(asked === undefined ? [] : [{ id: asked, label: "call" }]),
    ...(Object.hasOwn(places, given) ? [{ id: given, label: "result" }] : []),
  ]
}
