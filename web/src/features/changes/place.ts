/** How the changes are shown: differences in one column or two, ordered by turn or by file. */
export interface ChangesPlace {
  view: "unified" | "side"
  by: "turn" | "file"
}

export type GoToChanges = (place: ChangesPlace) => void
