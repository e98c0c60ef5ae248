import { ChevronsDownUp, ChevronsUpDown } from "lucide-react"
import { several } from "./text/figures"
import { STEP } from "./text/cuts"
import type { CutControl } from "./use-cut"

/** Says how many lines are not shown, with buttons to show and to hide them. */
export function MoreLines({ cut }: { cut: CutControl }) {
  return (
    <>
      <Unfold cut={cut} />
      <FoldAgain cut={cut} />
    </>
  )
}

function Unfold({ cut }: { cut: CutControl }) {
  if (cut.left === 0) return null
  const words =
    cut.isOpen || cut.left > STEP
      ? `Show ${Math.min(STEP, cut.left).toLocaleString("en-US")} of ${several(cut.left, "more line")}`
      : `Show ${several(cut.left, "more line")}`
  return (
    <button type="button" className="more-lines" onClick={cut.open} aria-expanded={false}>
      <ChevronsUpDown aria-hidden />
      {words}
    </button>
  )
}

function FoldAgain({ cut }: { cut: CutControl }) {
  if (!cut.canFold) return null
  return (
    <button type="button" className="more-lines" onClick={cut.fold} aria-expanded>
      <ChevronsDownUp aria-hidden />
      Show less
    </button>
  )
}
