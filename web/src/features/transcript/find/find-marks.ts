/** Marks words on the page without changing its elements: the browser paints the given ranges. */

const NAME = "found"
const MOST = 3000

/** Returns the ranges of the words in the text below `root`. */
export function rangesOf(root: Node, words: readonly string[]): Range[] {
  const ranges: Range[] = []
  if (words.length === 0) return ranges
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? ""
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        // Some letters change their length in lower case; a missing mark is better than a wrong one.
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

/** Keeps the words marked below `root` while it changes, until the returned function is called. */
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
