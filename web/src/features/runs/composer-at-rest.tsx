import "./composer.css"
import { MESSAGE_BOX, MESSAGE_FIELD_SMALL } from "./message-box-look"

/** A placeholder for the composer, with the height that it has when nobody types in it. */
export function ComposerAtRest() {
  return (
    <div aria-hidden className="composer">
      <div className="inner">
        <div className={MESSAGE_BOX}>
          <div className={MESSAGE_FIELD_SMALL}>&nbsp;</div>
        </div>
      </div>
    </div>
  )
}
