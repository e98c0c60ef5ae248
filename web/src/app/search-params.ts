/** The query part of an address as plain strings: missing values are left out, repeated ones form a list. Pure. */

type Params = Record<string, string | string[] | undefined>

export function parsedSearch(text: string): Params {
  const params: Params = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const before = params[name]
    params[name] = before === undefined ? value : [...listOf(before), value]
  }
  return params
}

export function writtenSearch(params: Record<string, unknown>): string {
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === "string" && each !== "") written.append(name, each)
    }
  }
  const text = written.toString()
  return text === "" ? "" : `?${text}`
}

/** The first value of that name. */
export function oneOf(params: Record<string, unknown>, name: string): string | undefined {
  const value = params[name]
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === "string" && first !== "" ? first : undefined
}

export function allOf(params: Record<string, unknown>, name: string): string[] | undefined {
  const values = listOf(params[name]).filter((value) => typeof value === "string" && value !== "")
  return values.length === 0 ? undefined : values
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value : typeof value === "string" ? [value] : []
}
