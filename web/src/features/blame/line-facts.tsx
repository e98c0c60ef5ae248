import { useQuery } from "@tanstack/react-query"
import { useBackend } from "@/api/follow"
import type { ForeignClaim, LineOrigin } from "@/api/schema"
import { BlockView } from "@/blocks/block-view"
import { SeenText } from "@/blocks/seen-text"
import { several } from "@/blocks/text/figures"
import { seenLine } from "@/blocks/text/seen"
import { modelName } from "@/parts/model-name"
import { addressOf } from "@/parts/places"
import { PlaceLink } from "@/parts/place-link"
import { Skeleton } from "@/ui/skeleton"
import { type BlamedLine, placeOf } from "./lines"

/** How sure the origin is, and why not more. */
function certaintyOf(origin: LineOrigin): string {
  if (origin.evidence === "records") return "Likely: it is known from the records of the conversation alone; there were no snapshots yet."
  if (origin.certainty === "exact") return "Exact: the line is as the edit wrote it, and everything since is known."
  return "Likely: only blanks changed since, or a version in between is not known."
}

/** Everything that is known about the origin of a line, with the whole prompt. */
export function LineFacts({ line, claims }: { line: BlamedLine | null; claims: readonly ForeignClaim[] }) {
  if (line === null) return <p className="text-ink-3">Point at a line, or step through the file with J and K, to see the prompt that wrote it.</p>
  const { origin } = line
  return (
    <div className="flex flex-col gap-3">
      <h2 className="text-base font-semibold">Line {line.number}</h2>
      {origin === null ? (
        <p className="text-ink-2">Unknown: no agent is known to have written this line.</p>
      ) : (
        <>
          <dl className="grid grid-cols-[max-content_1fr] gap-x-3 gap-y-1 text-sm">
            <Fact name="Conversation" value={seenLine(origin.title) || origin.conversation} />
            <Fact name="Turn" value={origin.turn === 0 ? "" : String(origin.turn)} />
            <Fact name="Tool" value={origin.tool} />
            <Fact name="Call" value={origin.call} />
            <Fact name="Sub-agent" value={origin.agent} />
            <Fact name="Model" value={origin.model === "" ? "" : modelName(origin.model)} />
            <Fact name="Wrote" value={`${several(origin.lines, "line")} of this file`} />
          </dl>
          <p className="text-sm text-ink-2">{certaintyOf(origin)}</p>
          <Ways origin={origin} />
          <Prompt key={`${origin.conversation_name} ${origin.prompt_at}`} origin={origin} />
        </>
      )}
      <Others claims={claims.filter(({ first, last }) => first <= line.number && line.number <= last)} />
    </div>
  )
}

/** What other programs say: beside our own answer, and not part of it. */
function Others({ claims }: { claims: readonly ForeignClaim[] }) {
  if (claims.length === 0) return null
  return (
    <section aria-label="Other programs" className="border-t border-line pt-3 text-sm text-ink-2">
      <h3 className="font-semibold">Other programs say</h3>
      <ul className="list-disc pl-5">
        {claims.map((claim, index) => (
          <li key={index} className="break-words">
            <SeenText text={[`${claim.source}: ${claim.author}`, claim.tool, claim.model, claim.session, claim.person].filter((each) => each !== "").join(", ")} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  if (value === "") return null
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">
        <SeenText text={value} />
      </dd>
    </>
  )
}

function Ways({ origin }: { origin: LineOrigin }) {
  const place = placeOf(origin)
  if (place === null) return <p className="text-sm text-ink-3">The conversation is not stored any more.</p>
  return (
    <p className="flex flex-wrap gap-x-3 text-sm">
      <PlaceLink href={place} className="text-accent hover:underline">
        {origin.prompt_at === "" ? "Go to the conversation" : "Go to the prompt"}
      </PlaceLink>
      {origin.call === "" ? null : (
        <PlaceLink href={addressOf(origin.conversation_name, { at: `call:${origin.call}` })} className="text-accent hover:underline">
          Go to the call
        </PlaceLink>
      )}
    </p>
  )
}

/** The prompt as it is in the transcript, nothing cut. */
function Prompt({ origin }: { origin: LineOrigin }) {
  const backend = useBackend()
  const row = useQuery({
    queryKey: ["blame-prompt", origin.conversation_name, origin.prompt_at],
    queryFn: ({ signal }) => backend.row(origin.conversation_name, origin.prompt_at, signal),
    enabled: origin.prompt_at !== "",
    staleTime: Infinity,
  })
  if (origin.prompt_at === "") return null
  if (row.data === undefined) return row.error === null ? <Skeleton className="h-16" /> : <p className="text-sm text-ink-3">{row.error.message}</p>
  const { row: message } = row.data
  return (
    <section aria-label="Prompt" className="rounded-md bg-inset px-3 py-2">
      {message.type === "message"
        ? message.pieces.map((piece, index) =>
            piece.type === "call" ? null : <BlockView key={index} block={piece} at={`blame/${origin.prompt_at}/${index}`} />,
          )
        : null}
    </section>
  )
}
