/**
 * Reads the open thread from its beginning to its end like a person who opens everything: each fold, each sub-agent, each
 * text that was cut. Returns the rows that were seen, what failed, and how much was opened. Stops when nothing new
 * appeared for so many seconds.
 */
async ({ seconds, mostClicks }) => {
  let until = performance.now() + seconds * 1000
  const goOn = () => { until = performance.now() + seconds * 1000 }
  const box = document.querySelector(".message-scroller")
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  const pause = (ms) => new Promise((done) => setTimeout(done, ms))
  const seen = {}
  const failed = []
  const endless = new Set()
  const clicks = new Map()
  let opened = 0
  let widest = 0
  let wide = ""

  const rowOf = (element) => element.closest("[data-key]")?.dataset.key ?? ""
  const isCut = (button) => /^(?:Load|Try again)/.test(button.textContent ?? "") && button.closest(".note-error") === null

  /** Opens everything that is closed on display, and returns how many things it opened. */
  const unfold = () => {
    let found = 0
    const closed = box.querySelectorAll('button[aria-expanded="false"], button.more-lines:not([aria-expanded]), .side-file button, details:not([open]) > summary')
    for (const button of closed) {
      if (button.disabled || (button.closest(".side-file") && !isCut(button))) continue
      const row = rowOf(button)
      const count = (clicks.get(row) ?? 0) + 1
      clicks.set(row, count)
      if (count > mostClicks) {
        endless.add(row)
        continue
      }
      button.click()
      found += 1
    }
    opened += found
    if (found > 0) goOn()
    return found
  }

  /** Returns whether something on display is being loaded. The ends of the list load only when they are near. */
  const isLoading = () => {
    if (box.querySelector(".agent-rows [data-loading], .agent-card [data-loading], button.more-lines:disabled") !== null) return true
    const view = box.getBoundingClientRect()
    return [...box.querySelectorAll(".list-end [data-loading]")].some((each) => {
      const place = each.getBoundingClientRect()
      return place.bottom > view.top && place.top < view.bottom
    })
  }

  /** Returns the element that extends furthest to the right, and its row. */
  const culprit = () => {
    const right = (each) => each.getBoundingClientRect().right
    const isClipped = (each) => {
      for (let above = each.parentElement; above !== null && above !== box; above = above.parentElement)
        if (getComputedStyle(above).overflowX !== "visible") return true
      return false
    }
    const edge = box.getBoundingClientRect().right
    const beyond = [...box.querySelectorAll("*")].filter((each) => right(each) > edge && !isClipped(each))
    if (beyond.length === 0) return "nothing that is still there"
    const found = beyond.reduce((most, each) => (right(each) >= right(most) ? each : most))
    const named = (each) => `${each.tagName.toLowerCase()}.${each.getAttribute("class") ?? ""}`
    return `${named(found.parentElement)} > ${named(found)} in ${rowOf(found)}: ${found.textContent.slice(0, 80)}`
  }

  const look = () => {
    for (const row of box.querySelectorAll("[data-key] article[data-row]")) {
      if (!(row.dataset.row in seen)) goOn()
      seen[row.dataset.row] = row.dataset.type
    }
    for (const part of box.querySelectorAll("[data-failed]")) {
      const told = `${part.dataset.failed} in ${part.closest("[data-row]")?.dataset.row ?? "?"}: ${part.textContent}`
      if (!failed.includes(told)) failed.push(told)
    }
    for (const part of box.querySelectorAll(".note-error button")) {
      if (!(part.textContent ?? "").startsWith("Try again")) continue
      const told = `not loaded in ${rowOf(part)}: ${part.parentElement?.textContent}`
      if (!failed.includes(told)) failed.push(told)
    }
    const beyond = box.scrollWidth - box.clientWidth
    if (beyond > Math.max(widest, 1)) wide = culprit()
    widest = Math.max(widest, beyond)
  }

  let isEnd = false
  while (!isEnd && performance.now() < until) {
    for (let pass = 0; pass < 30 && unfold() > 0; pass += 1) await frames()
    for (let waited = 0; isLoading() && waited < 400 && performance.now() < until; waited += 1) await pause(25)
    while (unfold() > 0 && performance.now() < until) await frames()
    look()
    const before = box.scrollTop
    box.scrollTop += Math.round(box.clientHeight * 0.8)
    await frames()
    look()
    isEnd = box.scrollTop <= before && box.scrollTop + box.clientHeight >= box.scrollHeight - 4 && !isLoading()
  }
  return { seen, failed, endless: [...endless], opened, widest, wide, isEnd }
}
