// What the prompt of the running turn takes from outside the log.
import type { TurnId } from "../../contract/ids.ts"
import type { InstructionText } from "../../contract/views/instructions.ts"

export class TurnMemory {
  #instructions: { readonly turnId: TurnId; readonly files: readonly InstructionText[] } | undefined

  async instructions(
    turnId: TurnId | undefined,
    read: () => Promise<readonly InstructionText[]>,
  ): Promise<readonly InstructionText[]> {
    if (turnId === undefined) return read()
    if (this.#instructions?.turnId !== turnId) this.#instructions = { turnId, files: await read() }
    return this.#instructions.files
  }
}
