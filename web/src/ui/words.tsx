/** A sentence in which text between backticks is shown as code. Nothing else is markup. */
export function Words({ text }: { text: string }) {
  return text.split("`").map((part, index, all) =>
    index % 2 === 1 && index < all.length - 1 ? (
      // oxlint-disable-next-line react/no-array-index-key -- parts of one text have no other name
      <code key={index} className="font-mono text-[0.94em]">
        {part}
      </code>
    ) : index % 2 === 1 ? (
      `\`${part}`
    ) : (
      part
    ),
  )
}
