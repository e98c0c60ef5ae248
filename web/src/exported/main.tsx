import "@/app/app.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { DATA_ID, exportedBackend, readExported } from "@/api/exported"
import type { ExportedFile } from "@/api/schema"
import { ExportedApp } from "./exported-app"
import { exportedReplay } from "./replay"

const root = document.getElementById("root")
const data = document.getElementById(DATA_ID)
if (root === null || data === null) throw new Error("This page has no data")
const page = createRoot(root)

function show(file: ExportedFile): void {
  data?.remove()
  page.render(
    <StrictMode>
      <ExportedApp file={file} source={{ backend: { ...exportedBackend(file), ...exportedReplay(file) }, live: null }} />
    </StrictMode>,
  )
}

function fail(error: unknown): void {
  page.render(
    <main className="mx-auto max-w-xl px-5 py-12">
      <h1 className="text-lg font-semibold">This file cannot be shown</h1>
      <p className="mt-2 text-ink-2">{error instanceof Error ? error.message : String(error)}</p>
    </main>,
  )
}

readExported(data.textContent ?? "").then(show, fail)
