/**
 * Renders the corpora in a browser, under the policy that the server sends. A separate entry, never part of the
 * application. Errors are listed in `#found`, one per line; `data-drawn` has the number of rendered parts.
 */

import "@/app/app.css"
import { StrictMode } from "react"
import { flushSync } from "react-dom"
import { createRoot } from "react-dom/client"
import { drawings, faults } from "./corpora"

const found: string[] = []
let current = "before the first drawing"
const note = (what: string) => found.push(`${current}: ${what}`)

document.addEventListener("securitypolicyviolation", (event) => note(`policy: ${event.violatedDirective} ${event.sample}`))
window.addEventListener("error", (event) => note(`uncaught: ${event.message}`))

async function run(): Promise<void> {
  const place = document.createElement("div")
  document.body.append(place)
  const root = createRoot(place, {
    onCaughtError: (error) => note(`caught: ${String(error)}`),
    onUncaughtError: (error) => note(`uncaught: ${String(error)}`),
  })
  let drawn = 0
  for (const { name, node } of drawings()) {
    current = name
    flushSync(() => root.render(<StrictMode key={name}>{node}</StrictMode>))
    for (const fault of faults(place)) note(fault)
    // Code is highlighted a moment later.
    await new Promise((done) => setTimeout(done))
    drawn += 1
  }
  flushSync(() => root.unmount())
  const result = document.createElement("pre")
  result.id = "found"
  result.dataset["drawn"] = String(drawn)
  result.textContent = found.join("\n")
  document.body.append(result)
}

void run()
