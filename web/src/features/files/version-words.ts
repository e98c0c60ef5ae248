import type { FileVersionShown } from "@/api/schema"

const CERTAINTY = { exact: "exact", rebuilt: "rebuilt", unknown: "unknown since" } as const

/** How certain a version is, in words. */
export function stateOf(version: FileVersionShown): string {
  if (version.is_absent) return version.is_start ? "no file" : "deleted"
  return CERTAINTY[version.certainty]
}

/** Who or what made a version. */
export function makerOf(version: FileVersionShown): string {
  if (version.is_start) return "as it was found"
  if (version.tool !== "") return version.agent === "" ? version.tool : `${version.tool} of sub-agent ${version.agent}`
  return version.cause === "command" ? "a command" : "a person or another program"
}
