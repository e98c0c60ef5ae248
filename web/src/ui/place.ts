interface Box {
  width: number
  height: number
}

interface Target extends Box {
  left: number
  top: number
}

const GAP_PX = 6
const EDGE_PX = 8

/** Returns the position of a small box: centred below its target, above it if there is no room, never outside the view. */
export function placed(target: Target, box: Box, view: Box): { left: number; top: number } {
  const below = target.top + target.height + GAP_PX
  const above = target.top - GAP_PX - box.height
  const top = below + box.height <= view.height - EDGE_PX || above < EDGE_PX ? below : above
  const centred = target.left + target.width / 2 - box.width / 2
  const left = Math.max(EDGE_PX, Math.min(centred, view.width - EDGE_PX - box.width))
  return { left, top }
}
