import "./composer.css"
import { MESSAGE_BOX, MESSAGE_FIELD_SMALL } from "./message-box-look"

/** Where the composer will be, as high as it is when nobody writes in it. */
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
