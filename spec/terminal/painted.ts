// Frames of the screen in an emulator, without a process.
import type { ScreenState } from "../../src/tui/state/screen-state.ts"
import { Renderer } from "../../src/tui/terminal/renderer.ts"
import { defaultTheme } from "../../src/tui/terminal/theme.ts"
import { view } from "../../src/tui/view/screen.ts"
import { Emulator, type Cell, type EmulatorSize } from "./emulator.ts"

const theme = defaultTheme(true)
/** As the screen sets it: a line that is too long must not continue on the next row. */
const NO_WRAP = "\u001b[?7l"

export class PaintedScreen {
  readonly emulator: Emulator
  readonly #renderer: Renderer
  #output = NO_WRAP

  constructor(size: EmulatorSize) {
    this.emulator = new Emulator(size)
    this.#renderer = new Renderer((text) => (this.#output += text))
  }

  async draw(state: ScreenState, size: EmulatorSize = this.emulator.size): Promise<void> {
    this.emulator.resize(size)
    this.#renderer.draw(view(state, size), size, theme)
    const output = this.#output
    this.#output = ""
    await this.emulator.show(output)
  }

  get cells(): readonly (readonly Cell[])[] {
    return this.emulator.cells
  }
}
