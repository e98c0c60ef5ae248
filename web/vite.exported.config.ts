import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"
import { aliases } from "./aliases.ts"
import { noSinks } from "./sinks.ts"

/**
 * Builds the application for exported files: one script and one style sheet with everything in them, since such a file
 * loads nothing.
 */
export default defineConfig({
  base: "./",
  publicDir: false,
  plugins: [react(), tailwindcss(), noSinks()],
  resolve: { alias: aliases },
  build: {
    outDir: "../src/chorus/show/server/app/exported",
    emptyOutDir: true,
    assetsInlineLimit: 1 << 20,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    target: "es2022",
    chunkSizeWarningLimit: 2_000,
    rollupOptions: {
      input: "src/exported/main.tsx",
      output: { entryFileNames: "exported.js", assetFileNames: "exported.[ext]", codeSplitting: false },
    },
  },
})
