import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useListing } from "@/features/conversations/listing"
import { SideList } from "@/features/conversations/side-list"
import { useNeighbours } from "@/features/conversations/use-neighbours"
import { nameParts } from "@/parts/places"
import { useIsWide } from "@/parts/wide"
import { useKeys } from "@/ui/keys"
import { recalled, remember } from "@/ui/remembered"

const WIDE_PX = 1400
const HIDDEN = "list-beside"

/** A conversation and, if there is room, the list that the reader came from next to it. */
export function Beside({ current, children }: { current: string; children: ReactNode }) {
  const navigate = useNavigate()
  const listing = useListing()
  const isWide = useIsWide(WIDE_PX)
  const [isShown, setShown] = useState(() => recalled(HIDDEN) !== "hidden")
  const neighbours = useNeighbours(listing, current)
  const go = (name: string | null) => {
    if (name !== null) void navigate({ to: "/c/$workspace/$agent/$conversation", params: nameParts(name) })
  }
  useKeys({
    "[": () => go(neighbours.previous),
    "]": () => go(neighbours.next),
    l: () => {
      remember(HIDDEN, isShown ? "hidden" : null)
      setShown(!isShown)
    },
  })
  return (
    <div className="flex h-full">
      {isWide && isShown ? (
        <aside aria-label="Conversations" className="w-80 shrink-0 border-r border-line">
          <SideList listing={listing} current={current} />
        </aside>
      ) : null}
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
