import {
  BookOpen,
  Check,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleX,
  Hand,
  type LucideIcon,
  Pencil,
  Sparkles,
  Terminal,
  TriangleAlert,
} from "lucide-react"
import { seenLine } from "@/blocks/text/seen"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"
import { type Activity, isAtWork } from "./activity"

interface Look {
  icon: LucideIcon
  word: string
  colour: string
  meaning: string
}

const LOOKS: Record<Activity, Look> = {
  thinking: { icon: Sparkles, word: "Thinking", colour: "text-thinking", meaning: "The model is answering" },
  reading: { icon: BookOpen, word: "Reading", colour: "text-reading", meaning: "Reads or searches files" },
  editing: { icon: Pencil, word: "Editing", colour: "text-editing", meaning: "Writes files" },
  running: { icon: Terminal, word: "Running", colour: "text-running", meaning: "Runs a command or another tool" },
  waiting: { icon: Hand, word: "Waiting for you", colour: "text-waiting", meaning: "Asks for a permission or an answer" },
  quiet: {
    icon: CircleDashed,
    word: "Quiet",
    colour: "text-ink-3",
    meaning: "Was at work when its last sign came, a while ago: it was closed, or it hangs",
  },
  done: { icon: Check, word: "Done", colour: "text-done", meaning: "Ended its turn" },
  failed: { icon: CircleX, word: "Failed", colour: "text-failed", meaning: "Its last turn ended with an error" },
  interrupted: { icon: CirclePause, word: "Interrupted", colour: "text-interrupted", meaning: "Was stopped by a person" },
  idle: { icon: CircleDot, word: "Idle", colour: "text-ink-3", meaning: "Nothing was asked yet" },
  damaged: { icon: TriangleAlert, word: "Damaged", colour: "text-failed", meaning: "Parts of its record cannot be read" },
}

interface MarkProps {
  activity: Activity
  isSmall?: boolean
  /** What the client asks a person for, in its own words. */
  waitingFor?: string | null
  /** Whether that is shown next to the word if there is room, and not only on hover. On a phone, neither is. */
  isWhole?: boolean
}

/** What a conversation is doing, as an icon and, unless `isSmall`, a word. */
export function StatusMark({ activity, isSmall = false, waitingFor = null, isWhole = false }: MarkProps) {
  const { icon: Icon, word, colour, meaning: usual } = LOOKS[activity]
  const asked = activity === "waiting" && waitingFor !== null ? seenLine(waitingFor) : ""
  const meaning = asked === "" ? usual : `${usual}: ${asked}`
  return (
    <span
      className={cx("inline-flex items-center gap-1.5 whitespace-nowrap", colour)}
      {...tip(isSmall ? `${word}: ${meaning.toLowerCase()}` : meaning)}
    >
      <Icon aria-hidden className={cx("size-3.5 shrink-0", isAtWork(activity) && "animate-breathe")} />
      <span className={isSmall ? "sr-only" : isWhole ? "max-sm:sr-only" : undefined}>
        {word}
        {asked === "" ? null : <span className={isWhole ? "max-sm:sr-only" : "sr-only"}>: {asked}</span>}
      </span>
    </span>
  )
}
