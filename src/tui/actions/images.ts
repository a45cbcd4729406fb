// Images that the user pastes or drops: each is a mark in the draft, and goes with the prompt.
import type { GivenImages } from "../place.ts"
import { insertImage, paste } from "../state/draft.ts"
import type { ScreenControl } from "./control.ts"

/** Characters of a paste that can be the paths of dropped files. */
const MAX_PATHS = 8192
const IMAGE_PATH = /\.(?:png|jpe?g|gif|webp)["']?\s*$/i

/** False if the text is none that names image files. What is none after all is pasted. */
export function attachDropped(screen: ScreenControl, text: string): boolean {
  const { givenImages } = screen.place
  const isPath = text.length <= MAX_PATHS && /^\s*["']?(?:\/|~|file:)/.test(text) && IMAGE_PATH.test(text)
  if (givenImages === undefined || !isPath || screen.state.question !== undefined) return false
  attach(screen, async () => {
    const dropped = await givenImages.dropped(text)
    if (dropped === undefined || dropped.images.length === 0)
      screen.update({ draft: paste(screen.state.draft, text), completion: undefined })
    return dropped
  })
  return true
}

/** `quiet`: the user did not ask for an image by a key. */
export function attachClipboard(screen: ScreenControl, mode: "asked" | "quiet"): void {
  const { givenImages } = screen.place
  if (givenImages === undefined || screen.state.question !== undefined) return
  attach(screen, async () => {
    const pasted = await givenImages.clipboard()
    return mode === "quiet" ? { images: pasted.images } : pasted
  })
}

/** A prompt is not sent meanwhile. */
function attach(screen: ScreenControl, load: () => Promise<GivenImages | undefined>): void {
  screen.update({ isAttaching: true })
  screen.start(async () => {
    try {
      const given = await load()
      const draft = (given?.images ?? []).reduce(insertImage, screen.state.draft)
      screen.update({ draft, completion: undefined })
      if (given?.problem !== undefined) screen.notify("info", given.problem)
    } finally {
      screen.update({ isAttaching: false })
    }
  })
}
