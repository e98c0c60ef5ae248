import { defineConfig } from "vite"
import { aliases } from "./aliases.ts"

/** Builds the reference client of `chorus.mobile.v1` as a script for a browser; see `src/testing/phone-under-test.ts`. */
export default defineConfig({
  publicDir: false,
  resolve: { alias: aliases },
  build: {
    target: "es2022",
    rollupOptions: { input: "src/testing/phone-under-test.ts", output: { entryFileNames: "phone.js", format: "iife" } },
  },
})
