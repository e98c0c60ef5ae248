import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react"
import { useBoard } from "@/api/use-board"
import { seenLine } from "@/blocks/text/seen"
import { recalled, remember } from "@/ui/remembered"
import { newNotices, type Notice, reasonsByKey } from "./notices"

const MOST = 5
const watchers = new Set<() => void>()

/** `blocked`: the browser does not allow it, and only the reader can change that in the browser. */
export type Notifying = "on" | "off" | "blocked" | "impossible"

/** Whether this browser shows notifications, and a function to switch them on or off. */
export function useNotifying(): [Notifying, () => void] {
  return [useSyncExternalStore(watch, notifying), () => void toggle()]
}

/** Notifies the reader of conversations that begin to need them, while no window with Chorus is in front. Mounted once. */
export function useNotifications(open: (name: string) => void): void {
  const tiles = useBoard().data?.tiles
  const known = useRef<Map<string, Notice> | null>(null)
  const opened = useEffectEvent(open)
  useEffect(() => {
    if (tiles === undefined) return
    const before = known.current
    known.current = reasonsByKey(tiles)
    if (before === null || notifying() !== "on" || document.hasFocus()) return
    for (const { name, workspace, text } of newNotices(before, known.current).slice(0, MOST)) {
      const shown = new Notification("An agent needs you", { body: `${seenLine(workspace)}: ${seenLine(text)}`, tag: name })
      shown.addEventListener("click", () => {
        window.focus()
        opened(name)
        shown.close()
      })
    }
  }, [tiles])
}

function notifying(): Notifying {
  if (!("Notification" in window)) return "impossible"
  if (Notification.permission === "denied") return "blocked"
  return recalled("notify") === "1" && Notification.permission === "granted" ? "on" : "off"
}

/** Asks the browser only after a click of the reader. */
async function toggle(): Promise<void> {
  const isOn = notifying() === "on"
  if (!isOn && Notification.permission === "default") await Notification.requestPermission()
  remember("notify", isOn ? null : "1")
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
