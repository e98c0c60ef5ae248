import { mergeConfig } from "vite"
import application from "./vite.config.ts"

/** Builds the corpora of the tests as a script for a browser; see `src/testing/under-policy.tsx`. */
export default mergeConfig(application, {
  base: "/corpora/",
  build: {
    rollupOptions: { input: "src/testing/under-policy.tsx", output: { entryFileNames: "corpora.js" } },
  },
})
