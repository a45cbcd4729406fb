// Images of one window: finds out what its terminal can draw, and keeps what is visible ready.
import type { Line } from "../../display/spans.ts"
import type { ScreenControl } from "../actions/control.ts"
import type { ScreenImages } from "../place.ts"
import { ImageDetection } from "./image-terminal.ts"
import { ImageStore } from "./image-store.ts"
import { loadImage } from "./load-image.ts"

export class WindowImages {
  readonly store: ImageStore
  readonly #images: ScreenImages
  readonly #detection: ImageDetection

  constructor(screen: Pick<ScreenControl, "place" | "state" | "update">, images: ScreenImages) {
    this.#images = images
    this.#detection = new ImageDetection(images.hints)
    this.store = new ImageStore(images, {
      load: async (key) => {
        const { session } = screen.state
        return session === undefined ? undefined : loadImage(session, key, screen.place.port)
      },
      changed: (book) => screen.update({ images: book }),
    })
  }

  /** Nothing waits for the answers to what `write` gets. */
  async detect(write: (text: string) => void): Promise<void> {
    const { queries } = this.#detection
    if (queries !== "") write(queries)
    this.#decide()
    const outer = await this.#images.outer()
    if (outer === undefined) return
    this.#detection.outer = outer
    this.#decide()
  }

  resized(write: (text: string) => void): void {
    const { cellQuery } = this.#detection
    if (cellQuery !== "") write(cellQuery)
  }

  reply(text: string): void {
    this.#detection.reply(text)
    this.#decide()
  }

  /** The lines of a frame that was drawn. */
  shown(lines: readonly Line[]): void {
    this.store.want(lines.flatMap((line) => line.flatMap(({ image }) => image ?? [])))
  }

  #decide(): void {
    this.store.terminal = this.#detection.terminal
  }
}
