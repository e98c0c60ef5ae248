import { afterEach, describe, expect, it, vi } from "vitest"
import type { Backend } from "@/api/backend"
import { switchPushOn } from "./push"

afterEach(() => vi.unstubAllGlobals())

/** A push manager that, like those of browsers, refuses a second subscription with another key. */
class Manager {
  made: { key: string; unsubscribe: () => Promise<boolean>; toJSON: () => unknown } | null = null

  getSubscription = () => Promise.resolve(this.made)

  subscribe = ({ applicationServerKey: key }: { applicationServerKey: string }) => {
    if (this.made !== null && this.made.key !== key) return Promise.reject(new Error("A subscription with a different key exists"))
    const unsubscribe = () => {
      this.made = null
      return Promise.resolve(true)
    }
    this.made = { key, unsubscribe, toJSON: () => ({ endpoint: `https://push.example/${key}`, keys: { p256dh: "k", auth: "s" } }) }
    return Promise.resolve(this.made)
  }
}

function browserWith(pushManager: Manager): Backend["subscribeToPush"] {
  vi.stubGlobal("Notification", { requestPermission: () => Promise.resolve("granted") })
  vi.stubGlobal("navigator", { serviceWorker: { getRegistration: () => Promise.resolve({ pushManager }) } })
  return vi.fn(() => Promise.resolve())
}

describe("switching push on", () => {
  it("subscribes again when the server has another key than before", async () => {
    const subscribeToPush = browserWith(new Manager())
    await switchPushOn({ subscribeToPush }, "old")
    await switchPushOn({ subscribeToPush }, "new")
    expect(subscribeToPush).toHaveBeenLastCalledWith({ endpoint: "https://push.example/new", key: "k", secret: "s" })
  })
})
