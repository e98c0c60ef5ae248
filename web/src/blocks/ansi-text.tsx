import type { CSSProperties } from "react"
import { cx } from "@/ui/cx"
import { SeenText } from "./seen-text"
import type { Colour, Run, Style } from "./text/ansi"

/** Lines that a command printed, in its colours. */
export function AnsiLines({ lines }: { lines: readonly (readonly Run[])[] }) {
  return lines.map((line, index) => (
    <span key={index} className="code-line">
      {line.map((run, number) =>
        run.style === null ? (
          <SeenText key={number} text={run.text} />
        ) : (
          <span key={number} className={classes(run.style)} style={colours(run.style)}>
            <SeenText text={run.text} />
          </span>
        ),
      )}
      {"\n"}
    </span>
  ))
}

function classes(style: Style): string {
  return cx(
    "ansi",
    (style.fg !== null || style.isInverse) && "ansi-fg",
    (style.bg !== null || style.isInverse) && "ansi-bg",
    style.isBold && "ansi-bold",
    style.isDim && "ansi-dim",
    style.isItalic && "ansi-italic",
    style.isUnderlined && "ansi-underlined",
    style.isStruck && "ansi-struck",
  )
}

/** Colours as properties that the style sheet keeps readable on either background. */
function colours(style: Style): CSSProperties {
  const [fg, bg] = style.isInverse ? [style.bg, style.fg] : [style.fg, style.bg]
  return {
    ...(fg ? { "--fg": css(fg) } : {}),
    ...(bg || style.isInverse ? { "--bg": bg ? css(bg) : "currentColor" } : {}),
  }
}

function css(colour: Colour): string {
  return "named" in colour ? `var(--ansi-${colour.named})` : `rgb(${colour.rgb.join(" ")})`
}

declare module "react" {
  interface CSSProperties {
    "--fg"?: string
    "--bg"?: string
    "--at"?: string
    "--full"?: string
    "--from"?: string
    "--to"?: string
  }
}
