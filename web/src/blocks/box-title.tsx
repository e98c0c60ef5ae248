import { SeenText } from "./seen-text"

/** The title of a box, if it has one. */
export function BoxTitle({ title }: { title: string | null | undefined }) {
  return title ? (
    <div className="box-title">
      <SeenText text={title} />
    </div>
  ) : null
}
