// Before anything is drawn, so that a chosen theme does not flash in the other one. Classic and tiny on purpose.
try {
  var theme = localStorage.getItem("chorus.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
  var text = localStorage.getItem("chorus.text")
  if (text === "small" || text === "large" || text === "larger") document.documentElement.dataset.text = text
  if (localStorage.getItem("chorus.density") === "compact") document.documentElement.dataset.density = "compact"
} catch {
  // Where nothing may be remembered, the system's theme holds.
}
