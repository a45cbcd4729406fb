// When the parts of a turn happened, on the clock of the machine: the tokens of the provider say when they were written.
import { clockMs } from "./clock.ts"

export interface TurnTimes {
  readonly sentAt: number
  /** When the client knew that its prompt is stored. */
  readonly acceptedAt: number
  /** When the provider had the request. */
  readonly requestedAt: number
  readonly firstWrittenAt: number
  readonly firstAt: number
  readonly lastWrittenAt: number
  readonly endAt: number
  /** From the provider to the client, one for each frame that completes a token. */
  readonly delays: readonly number[]
  readonly tokens: number
  /** Frames with text, and the characters of all of them. */
  readonly frames: number
  readonly characters: number
}

export class TurnClock {
  readonly #sentAt = clockMs()
  readonly #delays: number[] = []
  #acceptedAt = Number.NaN
  #first = { requestedAt: Number.NaN, writtenAt: Number.NaN, at: Number.NaN }
  #lastWrittenAt = Number.NaN
  #rest = ""
  #tokens = 0
  #frames = 0
  #characters = 0

  accepted(): void {
    if (Number.isNaN(this.#acceptedAt)) this.#acceptedAt = clockMs()
  }

  /** `frame`: its length. A frame can end within a token, or have several; the delay is that of the last complete one. */
  text(text: string, frame: number): void {
    const at = clockMs()
    this.#frames += 1
    this.#characters += frame
    const all = this.#rest + text
    const end = all.lastIndexOf(";")
    this.#rest = all.slice(end + 1)
    if (end === -1) return
    for (let from = all.indexOf(";"); from !== -1; from = all.indexOf(";", from + 1)) this.#tokens += 1
    if (this.#delays.length === 0) {
      const [, requestedAt, writtenAt] = /([\d.]+)\/([\d.]+);/.exec(all) ?? []
      this.#first = { requestedAt: Number(requestedAt), writtenAt: Number(writtenAt), at }
    }
    const last = all.slice(0, end)
    this.#lastWrittenAt = Number(last.slice(Math.max(last.lastIndexOf(" "), last.lastIndexOf("/")) + 1))
    this.#delays.push(at - this.#lastWrittenAt)
  }

  end(): TurnTimes {
    const { requestedAt, writtenAt, at } = this.#first
    return {
      sentAt: this.#sentAt,
      acceptedAt: this.#acceptedAt,
      requestedAt,
      firstWrittenAt: writtenAt,
      firstAt: at,
      lastWrittenAt: this.#lastWrittenAt,
      endAt: clockMs(),
      delays: this.#delays,
      tokens: this.#tokens,
      frames: this.#frames,
      characters: this.#characters,
    }
  }
}
