/** Addresses as hostile text writes them, made by rule; for what links may lead to. */

import { chance, distinct, type Chance } from "./chance"

const FOLLOWED = ["http", "https", "mailto"] as const
const WORST = ["javascript", "vbscript", "data"] as const
const REFUSED = [
  "javascript", "vbscript", "data", "file", "blob", "about", "chrome", "view-source", "ftp", "ws", "wss", "tel", "sms", "intent", "jar", "filesystem",
  "livescript", "mocha", "x-javascript", "httpx", "xhttp", "http-equiv", "https+js", "mailtos", "vscode", "ms-msdt", "search-ms", "ssh", "cid", "mid", "urn",
] as const
const RESTS = ["alert(1)", "//evil.example/a?b#c", "//a:b@evil.example/", "text/html,<script>1</script>", "text/html;base64,PHM+", "///etc/passwd", "a@b.org?bcc=c@d.org", "//[::1]:80/", "\\\\evil.example\\a", "%6a%61", "//%65vil.example", "", "//", "/x", "//xn--e1awd7f.example/", "//evil.example:99999/", "//bank.example\\@evil.example/"] as const
const RELATIVE = ["/api/logout", "//evil.example/x", "../x", "?q=1", "#x", "x.html", "\\\\evil.example", "/\\evil.example", "", " ", "evil.example"] as const
const BEFORE = [" ", "\t", "\n", "\r\n", "\u0000", "\u0001", "\u001f", "\u00a0", "\u200b", "\ufeff", "\u2028", "\u202e", "\\", "%20", "&#32;", "feed:", "url(", "\u007f", "\u0085"] as const
const INSIDE = ["\t", "\n", "\r", "\u0000", "\u0008", "\u00ad", "\u200d", "\u200b", "&Tab;", "&#x0A;", "%0a", "\\t", "/**/", " "] as const
const COLONS = ["&colon;", "&#58;", "&#x3a", "%3a", "\uff1a", " :", "\t:", ":\n", "::", "\u0003:"] as const

/** So many different addresses: kinds in any case, with signs before, inside and after them. */
export function addresses(count: number, seed = 5): string[] {
  const from = chance(seed)
  return distinct(count, () => address(from))
}

function address(from: Chance): string {
  const some = <T extends string>(all: readonly T[], plain: string): string => (from.isTrue(0.3) ? from.pick(all) : plain)
  if (from.isTrue(0.08)) return some(BEFORE, "") + from.pick(RELATIVE)
  const name = from.pick(from.isTrue(0.3) ? FOLLOWED : from.isTrue(0.5) ? WORST : REFUSED)
  const isWrittenOtherwise = from.isTrue(0.25)
  const scheme = [...name].map((each) => (isWrittenOtherwise ? shaped(each, from) : from.isTrue(0.3) ? each.toUpperCase() : each)).join("")
  const at = from.number(scheme.length + 1)
  return some(BEFORE, "") + scheme.slice(0, at) + some(INSIDE, "") + scheme.slice(at) + some(COLONS, ":") + from.pick(RESTS)
}

/** A sign as it is, in the other case, or written in one of the ways that some reader undoes. */
function shaped(sign: string, from: Chance): string {
  const kind = from.number(40)
  const code = sign.charCodeAt(0)
  if (kind === 15) return `&#${code};`
  if (kind === 16) return `&#x${code.toString(16)};`
  if (kind === 17) return `%${code.toString(16)}`
  if (kind === 18) return `\\u00${code.toString(16)}`
  if (kind === 19) return String.fromCharCode(code + 0xfee0)
  return sign
}
