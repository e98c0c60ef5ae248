import { resolve } from "node:path"
import { build, type Plugin } from "vite"

/** Builds the application for exported files beside the one of the server, with the same command. */
export function exportedToo(): Plugin {
  let folder: string | null = null
  return {
    name: "exported-too",
    apply: "build",
    configResolved: ({ build: { outDir, rollupOptions }, root }) => {
      // Other builds, such as that of the corpora, name their own script.
      folder = rollupOptions.input === undefined ? resolve(root, outDir, "exported") : null
    },
    async closeBundle() {
      if (folder === null) return
      const configFile = new URL("./vite.exported.config.ts", import.meta.url).pathname
      await build({ configFile, build: { outDir: folder, emptyOutDir: true }, logLevel: "warn" })
    },
  }
}
