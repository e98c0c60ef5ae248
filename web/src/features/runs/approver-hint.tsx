import { useQuery } from "@tanstack/react-query"
import { KeyRound } from "lucide-react"
import { useBackend } from "@/api/follow"
import { APPROVERS_KEY } from "@/api/use-approvals"
import { PlaceLink } from "@/parts/place-link"

/** Says, while there is no approver, that an agent trusts only the approvers that exist when it is started. */
export function ApproverHint() {
  const backend = useBackend()
  const isNobody = useQuery({
    queryKey: [...APPROVERS_KEY, "nobody"],
    queryFn: async ({ signal }) => (await backend.approvers(signal)).approvers.length === 0,
  }).data
  if (isNobody !== true) return null
  return (
    <p role="note" className="flex gap-2 rounded-lg bg-interrupted-soft px-3 py-2 text-interrupted">
      <KeyRound aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">
        Nobody may approve yet, and an agent that begins now would have to do without: what it asks could only be denied.{" "}
        <PlaceLink href="/approvals#approvers" className="font-medium underline underline-offset-2">
          Make this browser an approver
        </PlaceLink>{" "}
        first.
      </span>
    </p>
  )
}
