/** Where imports lead, in every build of the application. */
export const aliases = {
  "@": new URL("./src", import.meta.url).pathname,
  // Its browser build decodes `&copy;` with `innerHTML`, which the policy forbids; this build has a table.
  "decode-named-character-reference": new URL("./node_modules/decode-named-character-reference/index.js", import.meta.url).pathname,
}
