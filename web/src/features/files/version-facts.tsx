import type { FileVersionShown } from "@/api/schema"
import { SeenText } from "@/blocks/seen-text"
import { size } from "@/blocks/text/figures"
import { addressOf } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { Ago } from "@/ui/time"
import { makerOf, stateOf } from "./version-words"

/** What is known about a version: how certain it is and why, who made it and when, with a link to the call. */
export function VersionFacts({ version, name, isWorkspace }: { version: FileVersionShown; name: string; isWorkspace: boolean }) {
  const owner = version.conversation_name === "" ? name : version.conversation_name
  return (
    <div className="flex flex-col gap-1 rounded-md bg-inset px-3 py-2 text-sm text-ink-2">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <strong className="text-ink">
          Version {version.number}: {stateOf(version)}
        </strong>
        <span>
          <SeenText text={makerOf(version)} />
        </span>
        <Ago iso={version.time} />
        {version.source === "record" ? null : <span>from a {version.source === "snapshot" ? "snapshot" : "backup of the client"}</span>}
        {version.size_bytes === null ? null : <span>{size(version.size_bytes)}</span>}
        {version.call === "" ? null : (
          <PlaceLink href={addressOf(owner, { at: `call:${version.call}` })} className="text-accent hover:underline">
            Go to the call
          </PlaceLink>
        )}
        {isWorkspace && owner !== name ? (
          <PlaceLink href={addressOf(owner)} className="text-accent hover:underline">
            Another conversation
          </PlaceLink>
        ) : null}
      </p>
      {version.reason === "" ? null : (
        <p>
          <SeenText text={sentence(version.reason)} />
        </p>
      )}
    </div>
  )
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
