/** `claude-opus-4-5-20251101` → `Opus 4.5`; other names stay as they are. */
export function modelName(model: string): string {
  const newer = /^(?:[a-z]{2,}\.)?(?:anthropic[./])?claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?=$|[-@:[])/.exec(model)
  if (newer?.[1] && newer[2]) return `${capitalised(newer[1])} ${newer[2]}${newer[3] ? `.${newer[3]}` : ""}`
  const older = /^(?:[a-z]{2,}\.)?(?:anthropic[./])?claude-(\d)(?:-(\d))?-([a-z]+)(?=$|[-@:[])/.exec(model)
  if (older?.[1] && older[3]) return `${capitalised(older[3])} ${older[1]}${older[2] ? `.${older[2]}` : ""}`
  return model
}

/** What the client writes as the model of messages that no model wrote. */
export const SYNTHETIC = "<synthetic>"

/** The models of a conversation in short: the last one that answered, and how many others did. */
export function modelsInShort(models: readonly string[]): { name: string; more: number } | null {
  const real = models.filter((model) => model !== SYNTHETIC)
  const last = real.at(-1)
  return last === undefined ? null : { name: modelName(last), more: real.length - 1 }
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
