/** Marks words on the page without touching its elements: the browser paints ranges it is told. */

const NAME = "found"
const MOST = 3000

/** Ranges of the words in the text below `root`. */
export function rangesOf(root: Node, words: readonly string[]): Range[] {
  const ranges: Range[] = []
  if (words.length === 0) return ranges
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? ""
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        // Some letters change their length in lower case: such a place is not worth a wrong mark.
        if (at + word.length > (node.nodeValue?.length ?? 0)) break
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + word.length)
        ranges.push(range)
        if (ranges.length >= MOST) return ranges
      }
    }
  }
  return ranges
}

/** Keeps the words marked below `root` while it changes, until the function it gives is called. */
export function keepMarked(root: HTMLElement, words: readonly string[]): () => void {
  if (!("highlights" in CSS) || words.length === 0) return () => {}
  let frame = 0
  const mark = () => {
    frame = 0
    CSS.highlights.set(NAME, new Highlight(...rangesOf(root, words)))
  }
  const observer = new MutationObserver(() => {
    if (frame === 0) frame = requestAnimationFrame(mark)
  })
  observer.observe(root, { childList: true, subtree: true, characterData: true })
  mark()
  return () => {
    observer.disconnect()
    cancelAnimationFrame(frame)
    CSS.highlights.delete(NAME)
  }
}
