import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { readFileSync } from "node:fs"
import type { Plugin } from "vite"
import { defineConfig } from "vitest/config"
import { aliases } from "./aliases.ts"
import { exportedToo } from "./exported-build.ts"
import { noSinks } from "./sinks.ts"

/**
 * The policy of the server allows no inline scripts or styles, so nothing may be inlined here.
 */
export default defineConfig({
  base: "/",
  plugins: [react(), tailwindcss(), themeFirst(), serviceWorker(), noSinks(), exportedToo()],
  resolve: {
    alias: aliases,
  },
  build: {
    outDir: "../src/chorus/show/server/app",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // Chromium does not use a module that was preloaded through a service worker: it loads it twice, and warns.
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: true,
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:7717", ws: true } } },
  // All test files share one document: setting one up takes longer than the tests of a file.
  test: {
    environment: "happy-dom",
    isolate: false,
    testTimeout: 60_000,
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
  },
})

/** Adds the service worker under a fixed address, with the list of the files that make up the application. */
function serviceWorker(): Plugin {
  const source = readFileSync(new URL("./src/app/service-worker.js", import.meta.url), "utf8")
  return {
    name: "service-worker",
    apply: "build",
    generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => name.startsWith("assets/") && !name.endsWith(".map")).toSorted()
      const shell = JSON.stringify(["/", ...files.map((name) => `/${name}`)])
      this.emitFile({ type: "asset", fileName: "service-worker.js", source: source.replace("__SHELL__", () => shell) })
    },
  }
}

/** Adds a classic script at the top of the page, with a hashed name like every other asset. */
function themeFirst(): Plugin {
  const source = readFileSync(new URL("./src/app/theme-first.js", import.meta.url), "utf8")
  let file = "/src/app/theme-first.js"
  return {
    name: "theme-first",
    buildStart() {
      if (this.meta.watchMode || this.environment.mode !== "build") return
      const id = this.emitFile({ type: "asset", name: "theme-first.js", source })
      file = `/${this.getFileName(id)}`
    },
    transformIndexHtml: () => [{ tag: "script", attrs: { src: file }, injectTo: "head" }],
  }
}
