import { createContext, useContext, useEffect, useSyncExternalStore } from "react"
import type { MobileBoard, MobileHello, MobileTile, PermissionAsked } from "@/api/schema"
import type { MobileClient } from "./client"

/** The client that the start page reads from; null where nothing ever changes, as in an exported file. */
export const PhoneContext = createContext<MobileClient | null>(null)

export interface PhoneNow {
  /** What this login may do; null before the server said so. */
  hello: MobileHello | null
  /** The columns of the board; null before they came. */
  board: MobileBoard | null
  tile: (conversation: string) => MobileTile | null
  requests: () => PermissionAsked[]
}

/** Follows the board as long as the component is mounted, and returns what is known now. */
export function usePhone(): PhoneNow {
  const phone = useContext(PhoneContext)
  useEffect(() => {
    if (phone === null) return undefined
    const leave = phone.followBoard()
    phone.start()
    const comeBack = () => {
      if (!document.hidden) phone.retryNow()
    }
    window.addEventListener("online", comeBack)
    document.addEventListener("visibilitychange", comeBack)
    return () => {
      window.removeEventListener("online", comeBack)
      document.removeEventListener("visibilitychange", comeBack)
      leave()
      phone.stop()
    }
  }, [phone])
  useSyncExternalStore(phone?.watch ?? neverChanges, phone?.version ?? (() => 0))
  const board = phone?.store.message("board")
  return {
    hello: phone?.hello() ?? null,
    board: board?.type === "board" ? board : null,
    tile: (conversation) => {
      const tile = phone?.store.message(`tile:${conversation}`)
      return tile?.type === "tile" ? tile : null
    },
    requests: () => phone?.store.requests() ?? [],
  }
}

function neverChanges(): () => void {
  return () => {}
}
