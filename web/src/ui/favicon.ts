import { useEffect } from "react"

const SIDE_PX = 64
const MOST = 9

/** Addresses of icons by what they say: ten at most, kept, since nobody tells when a browser has read one. */
const made = new Map<string, Promise<string | null>>()

/**
 * The page's icon with a number on it, while there is one. It is drawn here and handed to the browser as a blob: the
 * page's policy lets no picture be written into an address.
 */
export function useFaviconCount(count: number, address: string): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (link === null) return undefined
    if (count === 0) {
      put(link, address, "image/svg+xml")
      return undefined
    }
    let isOver = false
    void addressOf(address, count > MOST ? `${MOST}+` : String(count)).then((found) => {
      if (!isOver && found !== null) put(link, found, "image/png")
    })
    return () => {
      isOver = true
    }
  }, [count, address])
}

function addressOf(address: string, text: string): Promise<string | null> {
  const known = made.get(text)
  if (known !== undefined) return known
  const drawing = drawn(address, text).then((blob) => (blob === null ? null : URL.createObjectURL(blob)))
  made.set(text, drawing)
  return drawing
}

function put(link: HTMLLinkElement, href: string, type: string): void {
  if (link.getAttribute("href") === href) return
  link.type = type
  link.href = href
}

async function drawn(address: string, text: string): Promise<Blob | null> {
  const canvas = document.createElement("canvas")
  canvas.width = canvas.height = SIDE_PX
  const brush = canvas.getContext("2d")
  if (brush === null) return null
  try {
    const icon = new Image(SIDE_PX, SIDE_PX)
    icon.src = address
    await icon.decode()
    brush.drawImage(icon, 0, 0, SIDE_PX, SIDE_PX)
  } catch {
    // The number says enough by itself.
  }
  brush.fillStyle = "#d9480f"
  brush.beginPath()
  brush.arc(42, 42, 22, 0, 2 * Math.PI)
  brush.fill()
  brush.fillStyle = "#ffffff"
  brush.font = `bold ${text.length > 1 ? 26 : 34}px system-ui, sans-serif`
  brush.textAlign = "center"
  brush.textBaseline = "middle"
  brush.fillText(text, 42, 44)
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"))
}
