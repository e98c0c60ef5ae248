// Runs before the first paint, so that the page does not flash in the wrong theme. A classic script, and small on
// purpose.
try {
  var theme = localStorage.getItem("chorus.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
  var text = localStorage.getItem("chorus.text")
  if (text === "small" || text === "large" || text === "larger") document.documentElement.dataset.text = text
  if (localStorage.getItem("chorus.density") === "compact") document.documentElement.dataset.density = "compact"
} catch {
  // If the browser stores nothing, the theme of the system is used.
}
