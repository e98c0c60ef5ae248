import type { Backend } from "@/api/backend"

/** Whether this browser can be notified while no page of Chorus is open. */
export function canPush(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window
}

/** Asks the browser for its permission and subscribes it; must be called after a click. Rejects with a reason. */
export async function switchPushOn(backend: Pick<Backend, "subscribeToPush">, publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("The browser does not allow notifications of Chorus.")
  const registration = await navigator.serviceWorker.getRegistration()
  if (registration === undefined) throw new Error("The browser did not install the part of Chorus that receives messages.")
  // One that was made for another key, such as before the vault was restored, would refuse the new one.
  await (await registration.pushManager.getSubscription())?.unsubscribe()
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { endpoint, keys } = made.toJSON()
  await backend.subscribeToPush({ endpoint: endpoint ?? "", key: keys?.["p256dh"] ?? "", secret: keys?.["auth"] ?? "" })
}

export async function switchPushOff(backend: Backend): Promise<void> {
  await backend.unsubscribeFromPush()
  const registration = await navigator.serviceWorker.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}
