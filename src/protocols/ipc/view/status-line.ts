// The status line that all viewers see. Saying again what it says already is saying nothing.
import type { AgentMessage } from "../frames.ts"

export class StatusLine {
  #text: string

  constructor(text: string) {
    this.#text = text
  }

  get text(): string {
    return this.#text
  }

  say(text: string): readonly AgentMessage[] {
    return text === this.#text ? [] : [this.announce(text)]
  }

  /** Said in any case. */
  announce(status: string): AgentMessage {
    this.#text = status
    return { type: "status_update", status }
  }
}
