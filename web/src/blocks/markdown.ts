/** How the Markdown of a transcript becomes elements: strict, and without anything that loads. */

import rehypeSanitize, { defaultSchema } from "rehype-sanitize"
import remarkGfm from "remark-gfm"
import type { Options } from "react-markdown"
import { seenInProse } from "./text/seen"

/** Longer text is shown as written: parsing hostile text takes more than linear time. */
export const LONGEST = 40_000

interface Node {
  type: string
  value?: string
  children?: Node[]
}

/** Turns HTML in Markdown into text. */
function rawAsText() {
  return (tree: Node): void => {
    const open = [tree]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.type === "raw" || node.type === "html") node.type = "text"
      if (node.children) open.push(...node.children)
    }
  }
}

const schema = {
  ...defaultSchema,
  // No image is ever loaded: `img` stays so that its placeholder can say what was meant.
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: [] },
  attributes: {
    ...defaultSchema.attributes,
    img: ["alt", "dataSource"],
    code: [["className", /^language-[\w+#.-]{1,40}$/] satisfies [string, RegExp]],
  },
}

interface Element extends Node {
  tagName?: string
  properties?: Record<string, unknown>
}

/** Replaces the address of an image by a text that says where it was to come from. */
function imagesWithoutAddress() {
  return (tree: Node): void => {
    const open: Element[] = [tree]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.tagName === "img" && node.properties) {
        node.properties = { alt: node.properties["alt"], dataSource: String(node.properties["src"] ?? "") }
      }
      if (node.children) open.push(...node.children)
    }
  }
}

/** Makes hidden and direction-changing characters visible, including those written as references (`&#x202e;`). */
function nothingHidden() {
  return (tree: Node): void => {
    const open: Element[] = [tree]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.type === "text" && node.value !== undefined) node.value = seenInProse(node.value)
      const alt = node.properties?.["alt"]
      if (node.properties && typeof alt === "string") node.properties["alt"] = seenInProse(alt)
      if (node.children) open.push(...node.children)
    }
  }
}

export const remarkPlugins: Options["remarkPlugins"] = [[remarkGfm, { singleTilde: false }]]
export const rehypePlugins: Options["rehypePlugins"] = [rawAsText, imagesWithoutAddress, nothingHidden, [rehypeSanitize, schema]]
