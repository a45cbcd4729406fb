// What the prompt of the running turn takes from outside the log, read once per turn, so that all requests of the turn
// begin with the same bytes.
import type { TurnId } from "../../contract/ids.ts"
import type { InstructionText } from "../../contract/views/instructions.ts"
import type { SessionAgent, SessionSkill } from "../../tools/tool.ts"

export class TurnMemory {
  readonly instructions = new PerTurn<readonly InstructionText[]>()
  readonly skills = new PerTurn<readonly SessionSkill[]>()
  readonly agents = new PerTurn<readonly SessionAgent[]>()
  readonly stableFacts = new PerTurn<string>()
  readonly changingFacts = new PerTurn<string>()
}

class PerTurn<Value> {
  #known: { readonly turnId: TurnId; readonly value: Promise<Value> } | undefined

  /** Outside a turn it is read each time. */
  get(turnId: TurnId | undefined, read: () => Promise<Value>): Promise<Value> {
    if (turnId === undefined) return read()
    if (this.#known?.turnId !== turnId) this.#known = { turnId, value: read() }
    return this.#known.value
  }
}
