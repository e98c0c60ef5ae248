import { noteNewerVersion } from "@/ui/newer-version"

const ADDRESS = "/service-worker.js"

interface Policy {
  createScriptURL(address: string): string
}

interface Policies {
  createPolicy(name: string, rules: Policy): Policy
}

declare global {
  interface Window {
    readonly trustedTypes?: Policies
  }
}

/**
 * Registers the service worker, if the browser has such a thing here. The policy of the server allows scripts only by
 * way of the policy `chorus`, which knows this one address.
 */
export async function registerServiceWorker(): Promise<void> {
  if (!("serviceWorker" in navigator)) return
  const only: Policy = {
    createScriptURL: (address) => {
      if (address !== ADDRESS) throw new TypeError("This script is not the service worker")
      return address
    },
  }
  let isControlled = navigator.serviceWorker.controller !== null
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    // The first one is no update. Nothing is loaded again here: somebody may be writing.
    if (isControlled) noteNewerVersion()
    isControlled = true
  })
  const policy = window.trustedTypes?.createPolicy("chorus", only) ?? only
  try {
    await navigator.serviceWorker.register(policy.createScriptURL(ADDRESS), { scope: "/" })
  } catch {
    // A private window may refuse. Then the application works without it, while the server answers.
  }
}

/** Asks the server for a newer version of the application; `noteNewerVersion` tells when it is installed. */
export async function lookForUpdate(): Promise<void> {
  try {
    await (await navigator.serviceWorker?.getRegistration())?.update()
  } catch {
    // The server does not answer, or the browser does not want to.
  }
}
