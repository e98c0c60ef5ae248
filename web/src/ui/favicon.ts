import { useEffect } from "react"

const SIDE_PX = 64
const MOST = 9

/**
 * The addresses of the icons by their text: at most ten. They are kept, because nothing reports when the browser has
 * read one.
 */
const made = new Map<string, Promise<string | null>>()

/**
 * Shows a number on the icon of the page while there is one. The icon is drawn here and given to the browser as a blob,
 * because the policy of the page allows no data in image addresses.
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
    // The number is enough without the icon.
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
