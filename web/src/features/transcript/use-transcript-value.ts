import { useMemo } from "react"
import { useBackend } from "@/api/follow"
import type { BranchPoint, PageRow } from "@/api/schema"
import type { Navigation } from "./list/use-navigation"
import { chosenBranch, type OnFork, type OnGo, permalink, type Place } from "./place"
import { copyOf } from "./rows/copies"
import { forkPoint } from "./rows/fork-point"
import type { Transcript } from "./transcript-context"

/** How many characters of a message are shown as the point where a copy of the conversation begins. */
const FORK_WORDS = 120

const NO_BRANCHES: readonly BranchPoint[] = []

/** Returns what the rows of a thread may ask of their page; the value changes only if one of the arguments does. */
export function useTranscriptValue({
  name,
  place: { thread, branch },
  folder,
  branches = NO_BRANCHES,
  navigation: { jump, makeCurrent },
  openThread,
  onGo,
  onFork,
  onRaw,
  loadWhole,
}: {
  name: string
  place: Place
  folder: string | null
  branches: readonly BranchPoint[] | undefined
  navigation: Pick<Navigation, "jump" | "makeCurrent">
  openThread: Transcript["openThread"]
  onGo: OnGo
  onFork: OnFork
  onRaw: (record: { row: PageRow; id: string }) => void
  loadWhole: Transcript["loadWhole"]
}): Transcript {
  const backend = useBackend()
  return useMemo<Transcript>(
    () => ({
      name,
      thread,
      folder,
      branches,
      chosen: branch,
      locate: (id) => {
        void backend.locate(name, id).then(
          (found) => (found.thread === thread ? jump(found.id) : openThread(found.thread, found.id)),
          () => undefined,
        )
      },
      openThread,
      chooseBranch: (point, head) => onGo({ branch: chosenBranch(branch, point.heads, head), at: head }),
      openRaw: (row, id) => onRaw({ row, id }),
      fork: (row) => {
        const at = forkPoint(row)
        if (at !== null) onFork(at, copyOf(row.row, "text").slice(0, FORK_WORDS))
      },
      addressOf: (id) => permalink(window.location.origin, name, { thread, branch, at: id, words: [] }),
      makeCurrent,
      loadWhole,
    }),
    [name, thread, folder, branches, branch, jump, openThread, onGo, onFork, onRaw, backend, makeCurrent, loadWhole],
  )
}
