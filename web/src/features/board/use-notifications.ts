import { useSyncExternalStore } from "react"
import { useLiveEvents } from "@/api/follow"
import { seen } from "@/blocks/text/seen"
import { recalled, remember } from "@/ui/remembered"

const watchers = new Set<() => void>()

/** `blocked`: the browser does not allow it, and only the reader can change that in the browser. */
export type Notifying = "on" | "off" | "blocked" | "impossible"

/** Whether this browser shows notifications, and a function to switch them on or off. */
export function useNotifying(): [Notifying, () => void] {
  return [useSyncExternalStore(watch, notifying), () => void toggle()]
}

/** Shows what the server says that the rules of this device ask for, while no window with Chorus is in front. Mounted once. */
export function useNotifications(open: (name: string) => void): void {
  useLiveEvents((event) => {
    if (event.type !== "notified" || notifying() !== "on" || document.hasFocus()) return
    const { title, body, tag, conversation } = event.notification
    const look = { body: seen(body), tag }
    let shown: Notification
    try {
      shown = new Notification(title, look)
    } catch {
      // Phones show notifications of the service worker only, which opens the page when it is tapped.
      void navigator.serviceWorker?.ready.then((worker) => worker.showNotification(title, { ...look, data: { conversation } }))
      return
    }
    shown.addEventListener("click", () => {
      window.focus()
      if (conversation !== null) open(conversation)
      shown.close()
    })
  })
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
