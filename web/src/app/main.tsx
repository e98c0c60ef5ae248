import "./app.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { http } from "@/api/http"
import { Live } from "@/api/live"
import { App } from "./app"
import { registerServiceWorker } from "./service-worker-registration"
import { takeToken } from "./token"
import { readAhead } from "./transcript-route"

const token = takeToken()
readAhead(window.location.pathname)
if (import.meta.env.PROD) void registerServiceWorker()
const root = document.getElementById("root")
if (root === null) throw new Error("The page has no #root")
createRoot(root).render(
  <StrictMode>
    <App source={{ backend: http, live: new Live(http) }} token={token} />
  </StrictMode>,
)
