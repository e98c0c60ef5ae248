/** A name for this device, as far as the browser says what it is. Pure. */

const KINDS: readonly [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android.*Mobile/, "Android phone"],
  [/Android/, "Android tablet"],
  [/Macintosh/, "Mac"],
  [/Windows/, "Windows computer"],
  [/Linux|CrOS/, "Linux computer"],
]

/** The longest name of a device that the server takes. */
export const LONGEST_NAME = 100

export function deviceName(userAgent: string): string {
  return KINDS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "Phone"
}
