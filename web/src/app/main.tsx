import "./app.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { http, onServerClock } from "@/api/http"
import { inBrowser } from "@/api/line"
import { Live } from "@/api/live"
import { MobileClient, PROTOCOL } from "@/api/mobile/client"
import { Memory } from "@/api/mobile/memory"
import { takeOffer } from "@/features/pairing/link"
import { noteOtherClock, nowMs } from "@/ui/now"
import { App } from "./app"
import { registerServiceWorker } from "./service-worker-registration"
import { openStartPage } from "./start-page"
import { takeToken } from "./token"
import { readAhead } from "./transcript-route"

const offered = window.location.pathname === "/pair" ? takeOffer() : null
const token = takeToken()
onServerClock(noteOtherClock)
openStartPage()
readAhead(window.location.pathname)
if (import.meta.env.PROD) void registerServiceWorker()
const root = document.getElementById("root")
if (root === null) throw new Error("The page has no #root")
createRoot(root).render(
  <StrictMode>
    <App
      source={{ backend: http, live: new Live(http, { ...inBrowser("/api/live"), now: nowMs }) }}
      phone={new MobileClient(http, new Memory(), { ...inBrowser("/api/mobile", PROTOCOL), now: nowMs })}
      token={token}
      offered={offered}
    />
  </StrictMode>,
)
