/** Texts that would run, load or lead astray where they become part of a page, made by rule; and the check for it. */

import { chance, distinct, type Chance } from "./chance"

/** What would run or load, as HTML. `{run}` is the script, `{host}` where it would ask. */
const SINKS = [
  "<script>{run}</script>",
  "<script src={host}/s.js></script>",
  "<img src=x onerror={run}>",
  "<img src={host}/p.png>",
  "<img srcset='{host}/p.png 2x'>",
  "<svg onload={run}></svg>",
  "<svg><animate onbegin={run} attributeName=x></animate></svg>",
  "<svg><a href='javascript:{run}'><text>x</text></a></svg>",
  "<svg><image href='{host}/i'></image></svg>",
  "<svg><use href='{host}/u#x'></use></svg>",
  "<iframe src='javascript:{run}'></iframe>",
  "<iframe srcdoc='x'></iframe>",
  "<object data='{host}/o'></object>",
  "<embed src='{host}/e'>",
  "<video src='{host}/v' onerror={run}></video>",
  "<audio onerror={run} src=x></audio>",
  "<details open ontoggle={run}>x</details>",
  "<input autofocus onfocus={run}>",
  "<a href='javascript:{run}'>x</a>",
  "<a href='data:text/html,x'>x</a>",
  "<a href='vbscript:{run}'>x</a>",
  "<form action='{host}/f'><button>x</button></form>",
  "<button formaction='javascript:{run}'>x</button>",
  "<style>@import '{host}/c'</style>",
  "<link rel=stylesheet href='{host}/l'>",
  "<meta http-equiv=refresh content='0;url={host}'>",
  "<base href='{host}/'>",
  "<div style='background:url({host}/b)'>x</div>",
  "<div onpointerenter={run} onclick={run}>x</div>",
  "<marquee onstart={run}>x</marquee>",
  "<math><a href='javascript:{run}'>x</a></math>",
  "<video poster='{host}/q'></video>",
] as const
/** What leads astray, as Markdown. */
// oxlint-disable-next-line eslint/no-script-url -- that it is none in the page is what the tests are about
const ADDRESSES = ["javascript:{run}", "vbscript:{run}", "data:text/html,{run}", "blob:{host}/x", "file:///etc/passwd", "//evil.example/x", "{path}"] as const
const LINKS = ["[x]({to})", "[x](<{to}> 't')", "[x][r]\n\n[r]: {to}", "![x]({to})", "[![x]({to})]({to})", "![x][r]\n\n[r]: <{to}>"] as const

const BEFORE = ["", "\"><", "'>", "-->", "]]>", "</textarea>", "</title></style>", "</script>", "</noscript>", "`", "*/", "\n\n", "<p title=\"", "&lt;", "{{", "${", "\u0000", "\u202e", "\ufeff", "<svg><desc>"] as const
const AFTER = ["", "<!--", "//", "`", "\n\n", "}}", "\u2028"] as const
const RUNS = ["alert(1)", "window.x=1", "top.x()", "fetch(name)", "eval(name)"] as const
const HOSTS = ["https://evil.example", "//evil.example", "http://evil.example:8080", "https://a@evil.example"] as const
const IN_NAMES = ["", "", "\t", "\n", "\r", "\u0001", "\u0000"] as const
const GAPS = [" ", "\n", "\t", "\f", "/", " / "] as const

type Encoding = "plain" | "references" | "percent" | "escapes"
const ENCODINGS: readonly Encoding[] = ["plain", "plain", "plain", "references", "percent", "escapes"]

/** A payload, and the same as a careless reader has it before him once he undid what hides it. */
export interface Payload {
  text: string
  undone: string
  kind: "html" | "markdown"
}

/** So many different payloads, the same for each seed. */
export function payloads(count: number, seed = 1): Payload[] {
  const from = chance(seed)
  const made = new Map<string, Payload>()
  distinct(count, (at) => {
    const payload = at % 3 === 2 ? markdown(from) : html(from)
    made.set(payload.text, payload)
    return payload.text
  })
  return [...made.values()]
}

function filled(text: string, from: Chance): string {
  return text.replaceAll("{run}", from.pick(RUNS)).replaceAll("{host}", from.pick(HOSTS))
}

function html(from: Chance): Payload {
  let core = filled(from.pick(SINKS), from)
  if (from.isTrue(0.5)) core = core.replace(/<(\/?)(\w+)/g, (_, slash: string, name: string) => `<${slash}${anyCase(name, from)}`)
  if (from.isTrue(0.3)) core = core.replace(/ (on\w+)=/g, (_, name: string) => ` ${anyCase(name, from)}=`)
  if (from.isTrue(0.4)) core = core.replace(/^(<\w+) /, `$1${from.pick(GAPS)}`)
  if (from.isTrue(0.3)) core = core.replace(/(javascript|vbscript):/, (name) => anyCase(name, from))
  const undone = from.pick(BEFORE) + core + from.pick(AFTER)
  return { text: encoded(undone, from.pick(ENCODINGS), from), undone: core, kind: "html" }
}

function markdown(from: Chance): Payload {
  const to = filled(from.pick(ADDRESSES), from).replace("{path}", `/api/${from.pick(["logout", "tickets", "runs"])}`)
  const name = anyCase(to.slice(0, 3), from) + from.pick(IN_NAMES) + to.slice(3)
  const link = from.pick(LINKS)
  const text = from.pick(["", "> ", "- ", "| a |\n|---|\n| ", "# ", "1. ", "**", "~~"]) + link.replaceAll("{to}", from.isTrue(0.3) ? encoded(name, "references", from) : name)
  return { text, undone: link.replaceAll("{to}", to), kind: "markdown" }
}

function anyCase(text: string, from: Chance): string {
  return [...text].map((each) => (from.isTrue(0.5) ? each.toUpperCase() : each.toLowerCase())).join("")
}

function encoded(text: string, encoding: Encoding, from: Chance): string {
  switch (encoding) {
    case "plain":
      return text
    case "references":
      return text.replace(/[<>"':/&(]/g, (each) => from.pick([`&#${each.charCodeAt(0)};`, `&#x${each.charCodeAt(0).toString(16)};`, `&#0${each.charCodeAt(0)}`, each]))
    case "percent":
      return text.replace(/[<>"' ]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)
    case "escapes":
      return text.replace(/[<>"']/g, (each) => from.pick([`\\u00${each.charCodeAt(0).toString(16)}`, `\\x${each.charCodeAt(0).toString(16)}`]))
    default:
      return encoding satisfies never
  }
}

const ELEMENTS = new Set(
  "script iframe frame object embed applet base style link form meta video audio source track picture portal marquee image animate set use foreignobject math".split(" "),
)
const LOADING = new Set("src srcset srcdoc action formaction data background poster ping xlink:href manifest".split(" "))
const FOLLOWED = /^(?:https?:\/\/|mailto:)/
/** Addresses of the application itself: its pages, and what its server gives. */
const OWN_PAGE = /^\/(?:$|c\/|search\b|approvals\b|new\b)/
const OWN_FILE = /^\/api\/conversations\//

/** All in a part of a page that runs, loads or leads where text said. */
export function executable(root: ParentNode): string[] {
  const found: string[] = []
  for (const element of elementsOf(root)) {
    const tag = element.tagName.toLowerCase()
    if (ELEMENTS.has(tag)) found.push(`element ${tag}`)
    for (const { name, value } of element.attributes) {
      const attribute = name.toLowerCase()
      if (attribute.startsWith("on")) found.push(`handler ${attribute} of ${tag}`)
      else if (LOADING.has(attribute) && !(tag === "img" && attribute === "src" && OWN_FILE.test(value))) found.push(`${attribute} of ${tag}`)
      else if (attribute === "href" && !isFit(element, value)) found.push(`href of ${tag}: ${value}`)
      else if (attribute === "style" && /url|import|expression|\\/i.test(value)) found.push(`style of ${tag}: ${value}`)
    }
  }
  return found
}

/** A link out has a scheme that is followed and gives nothing away; one inside is made by the application. */
function isFit(element: Element, href: string): boolean {
  if (FOLLOWED.test(href)) return element.getAttribute("rel") === "noopener noreferrer" && element.getAttribute("target") === "_blank"
  return OWN_PAGE.test(href) || (element.hasAttribute("download") && OWN_FILE.test(href))
}

/** All that is drawn below an element, in words and in attributes. */
export function drawn(root: Element): string {
  const texts = [root.textContent]
  for (const element of elementsOf(root)) for (const { value } of element.attributes) texts.push(value)
  return texts.join("\n")
}

/** All elements below one. (`querySelectorAll` of the tests' document is slow.) */
export function* elementsOf(root: ParentNode): Generator<Element> {
  for (const child of root.children) {
    yield child
    yield* elementsOf(child)
  }
}
