/** Budgets in words. Pure. */

/** What a budget is about, from its written form. */
export function aboutOf(text: string): string {
  const [scope = "", ...words] = text.split(" ")
  const value = (key: string) => words.find((word) => word.startsWith(`${key}:`))?.slice(key.length + 1)
  const only = value("only")
  const workspace = value("workspace")
  const whom = only === undefined ? `each ${scope}` : `only ${scope} ${only}`
  return workspace === undefined ? whom : `${whom} in ${workspace}`
}

/** The limits in the written form of a budget. */
export function limitsOf(text: string): string[] {
  return text.split(" ").filter((word) => word.includes(":") && !/^(?:workspace|only):/.test(word))
}

/** Whether a budget is an exception: it counts in place of a wider one. */
export function isException(text: string): boolean {
  return / only:/.test(text)
}
