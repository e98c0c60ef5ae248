import { useContext } from "react"
import type { PageRow } from "@/api/schema"
import { FoldsContext } from "@/blocks/folds"
import { useKeys } from "@/ui/keys"
import type { Finding } from "./find/use-finding"
import type { Navigation } from "./list/use-navigation"
import type { RowSteps } from "./list/use-row-steps"
import type { PutShowing, Showing } from "./showing"

/** Binds the keys of a thread. The actions on a row get the row that the reader is at, if there is one. */
export function useThreadKeys({
  navigation,
  steps,
  finding,
  showing,
  onShowing,
  onRaw,
  onCopyLink,
  onFork,
  onHelp,
  onBack,
}: {
  navigation: Pick<Navigation, "showBeginning" | "showEnd">
  steps: RowSteps
  finding: Finding
  showing: Showing
  onShowing: PutShowing
  onRaw: (row: PageRow) => void
  onCopyLink: (row: PageRow) => void
  onFork: (row: PageRow) => void
  onHelp: () => void
  onBack: () => void
}): void {
  const folds = useContext(FoldsContext)
  const openFind = () => finding.put(finding.query ?? "")
  const toggleAll = (kind: "call" | "thinking") => folds.putAll(kind, folds.all(kind) === true ? null : true)
  const withCurrentRow = (action: (row: PageRow) => void) => {
    const row = steps.here()
    if (row) action(row)
  }
  useKeys({
    j: () => steps.step(1),
    k: () => steps.step(-1),
    p: () => steps.stepPrompt(1),
    "shift+p": () => steps.stepPrompt(-1),
    Home: navigation.showBeginning,
    End: navigation.showEnd,
    "/": openFind,
    "mod+f": openFind,
    e: steps.toggleFolds,
    "shift+e": () => toggleAll("call"),
    t: () => toggleAll("thinking"),
    i: () => onShowing({ isInternal: !showing.isInternal }),
    w: () => onShowing({ isWrapped: !showing.isWrapped }),
    o: () => onShowing({ isOutline: !showing.isOutline }),
    s: () => onShowing({ isPanel: !showing.isPanel, isState: false }),
    v: () => onShowing({ isReplay: !showing.isReplay }),
    r: () => withCurrentRow(onRaw),
    y: () => withCurrentRow(onCopyLink),
    f: () => withCurrentRow(onFork),
    "?": onHelp,
    Escape: onBack,
  })
}
