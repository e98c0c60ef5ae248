import { useConnection } from "@/api/follow"
import type { Connection } from "@/api/line"
import { cx } from "@/ui/cx"
import { tip } from "@/ui/tooltip"

interface Look {
  word: string
  dot: string
  meaning: string
}

export function lookOf(connection: Connection): Look {
  switch (connection.phase) {
    case "live":
      return { word: "Live", dot: "bg-running", meaning: "What you see is kept up to date" }
    case "connecting":
      return { word: "Connecting", dot: "bg-ink-3 animate-breathe", meaning: "Connecting to Chorus" }
    case "reconnecting":
      return { word: "Reconnecting", dot: "bg-waiting animate-breathe", meaning: "The connection was lost; trying again" }
    case "unreachable":
      return { word: "Stopped", dot: "bg-failed", meaning: "Chorus does not answer. Start it with `chorus serve`" }
    case "logged out":
      return { word: "Logged out", dot: "bg-failed", meaning: "Run `chorus open` for a fresh link" }
    default:
      connection satisfies never
      return { word: "", dot: "", meaning: "" }
  }
}

/** Shows whether the page is up to date: a dot if it is, a word if it is not. Opens the status. */
export function ConnectionMark({ onOpen }: { onOpen: () => void }) {
  const { word, dot } = lookOf(useConnection())
  return (
    <>
      <button
        type="button"
        onClick={onOpen}
        className="inline-flex h-7 min-w-0 items-center gap-1.5 rounded-md px-2 text-sm text-ink-2 hover:bg-hover hover:text-ink"
        {...tip("Status")}
      >
        <span aria-hidden className={cx("size-2 shrink-0 rounded-full", dot)} />
        <span className={cx("truncate", word === "Live" && "max-sm:sr-only")}>{word}</span>
      </button>
      <span role="status" className="sr-only">
        {word}
      </span>
    </>
  )
}
