// Shows the application without a connection, and notifications. It stores the files of the application and nothing
// else: no answer of /api is ever on this disk. A classic script without imports.

const SHELL = __SHELL__
const PREFIX = "chorus-shell-"
const NAME = PREFIX + SHELL.join(" ").split("").reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) | 0, 7)
const KEPT_BEFORE = 1

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll(SHELL))
      .then(() => self.skipWaiting()),
  )
})

// The files of the version before stay, because pages that are still open load parts of it later.
self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith(PREFIX) && name !== NAME).slice(0, -KEPT_BEFORE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  )
})

self.addEventListener("fetch", (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== "GET" || origin !== self.location.origin || pathname.startsWith("/api/")) return
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match("/", { cacheName: NAME }).then((shell) => shell ?? Response.error())))
  } else if (pathname.startsWith("/assets/")) {
    event.respondWith(caches.match(request).then((found) => found ?? fetch(request)))
  }
})

self.addEventListener("push", (event) => {
  let note
  try {
    note = event.data.json() ?? {}
  } catch {
    note = {}
  }
  const title = typeof note.title === "string" ? note.title : "Chorus"
  const body = typeof note.body === "string" ? note.body : ""
  const conversation = typeof note.conversation === "string" ? note.conversation : null
  const tag = typeof note.tag === "string" ? note.tag : "chorus"
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon: "/icons/icon-192.png", data: { conversation } }))
})

// It only opens a page: nothing can be decided by a notification.
self.addEventListener("notificationclick", (event) => {
  event.notification.close()
  const { conversation } = event.notification.data ?? {}
  const path = conversation ? `/c/${conversation.split("/").map(encodeURIComponent).join("/")}` : "/board"
  event.waitUntil(
    self.clients.matchAll({ type: "window" }).then(async (windows) => {
      const open = windows[0]
      if (open === undefined) return self.clients.openWindow(path)
      await open.focus()
      return open.navigate(path)
    }),
  )
})
