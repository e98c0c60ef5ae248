import { expect, it } from "vitest"
import { sinkIn } from "../../sinks"

it.each([
  "element.innerHTML = text",
  "e.innerHTML=t",
  "e.outerHTML += t",
  "e['innerHTML'] = t",
  "frame.srcdoc ||= t",
  "e.insertAdjacentHTML('beforeend', t)",
  "range.createContextualFragment(t)",
  "document.write(t)",
  "new DOMParser().parseFromString(t, 'text/html')",
  "new Function(t)",
  "eval(t)",
])("finds a sink in %s", (code) => {
  expect(sinkIn(code)).not.toBeNull()
})

it.each(["e.innerHTML === t", "const text = e.innerHTML", "stream.write(t)", "e.textContent = t", "medieval(t)", "math.eval(t)"])(
  "finds none in %s",
  (code) => {
    expect(sinkIn(code)).toBeNull()
  },
)
