/** The languages that can be highlighted; each is loaded when it is first needed. */

import type { LanguageFn } from "highlight.js"

type Loader = () => Promise<{ default: LanguageFn }>

export const LOADERS: Record<string, Loader> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  perl: () => import("highlight.js/lib/languages/perl"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scss: () => import("highlight.js/lib/languages/scss"),
  shell: () => import("highlight.js/lib/languages/shell"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
}

/** Languages that occur inside others. */
export const INNER: Record<string, readonly string[]> = {
  markdown: ["xml"],
  php: ["xml"],
  shell: ["bash"],
  xml: ["css", "javascript"],
}

const ALIASES: Record<string, string> = {
  "c++": "cpp",
  "c#": "csharp",
  cjs: "javascript",
  console: "shell",
  cs: "csharp",
  docker: "dockerfile",
  ex: "elixir",
  exs: "elixir",
  golang: "go",
  h: "c",
  hpp: "cpp",
  html: "xml",
  js: "javascript",
  jsonc: "json",
  jsonl: "json",
  json5: "json",
  jsx: "javascript",
  kt: "kotlin",
  make: "makefile",
  md: "markdown",
  mdx: "markdown",
  mjs: "javascript",
  patch: "diff",
  pl: "perl",
  proto: "protobuf",
  ps1: "powershell",
  py: "python",
  pyi: "python",
  rb: "ruby",
  rs: "rust",
  sass: "scss",
  sh: "bash",
  svelte: "xml",
  svg: "xml",
  terminal: "shell",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vue: "xml",
  yml: "yaml",
  zsh: "bash",
}

/** Returns the language of a name, or null if it is unknown. The name is untrusted text. */
export function languageOf(name: string): string | null {
  const key = name.toLowerCase()
  const found = Object.hasOwn(ALIASES, key) ? ALIASES[key] : key
  return found !== undefined && Object.hasOwn(LOADERS, found) ? found : null
}

/** Returns the language of the file at `path`, by its name. */
export function languageOfPath(path: string): string | null {
  const name = path.replaceAll("\\", "/").split("/").pop()?.toLowerCase() ?? ""
  if (name === "dockerfile" || name === "makefile") return name
  const ending = name.includes(".") ? name.split(".").pop() : undefined
  return ending ? languageOf(ending) : null
}
