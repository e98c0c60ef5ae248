import type { Plugin } from "vite"

/**
 * Code that turns text into HTML, script or an address that runs. The policy of the server forbids it
 * (`require-trusted-types-for 'script'`), so it fails in the page, but not in the document of the tests.
 */
const SINKS = [
  /\.(?:innerHTML|outerHTML|srcdoc)\s*(?:[|&?+]{0,2}=)(?!=)/,
  /\[\s*["'`](?:innerHTML|outerHTML|srcdoc)["'`]\s*\]\s*=(?!=)/,
  /\b(?:insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|parseHTMLUnsafe|parseFromString)\s*\(/,
  /\bdocument\s*\.\s*write(?:ln)?\s*\(/,
  /\bnew\s+Function\s*\(/,
  /(?<![\w.$])eval\s*\(/,
]

/** Modules whose sinks are never reached, each with the reason; the linter forbids the calls that lead to them. */
const OUT_OF_REACH = [
  // `dangerouslySetInnerHTML`, and elements named `script`.
  /\/node_modules\/react-dom\//,
  // `highlightElement` and similar functions; the functions that are used here return values.
  /\/node_modules\/highlight\.js\/lib\/core\.js$/,
  // Hostile texts of the tests, which are not part of the application.
  /\/src\/testing\//,
]

/** Fails the build for each module of the bundle that has a sink, so that another build of it can be chosen. */
export function noSinks(): Plugin {
  return {
    name: "no-sinks",
    apply: "build",
    generateBundle(_, bundle) {
      const found = new Set<string>()
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue
        for (const [id, { code }] of Object.entries(chunk.modules)) {
          const sink = sinkIn(code ?? "")
          if (sink !== null && !OUT_OF_REACH.some((known) => known.test(id))) found.add(`${id}: ${sink}`)
        }
      }
      if (found.size > 0) this.error(`The policy of the server forbids what these modules do:\n${[...found].join("\n")}`)
    },
  }
}

/** Returns the first sink in a script, as it is written there; null if there is none. */
export function sinkIn(code: string): string | null {
  for (const sink of SINKS) {
    const found = sink.exec(code)
    if (found) return found[0]
  }
  return null
}
