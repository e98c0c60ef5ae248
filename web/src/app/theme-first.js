// Before anything is drawn, so that a chosen theme does not flash in the other one. Classic and tiny on purpose.
try {
  var theme = localStorage.getItem("chorus.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // Where nothing may be remembered, the system's theme holds.
}
