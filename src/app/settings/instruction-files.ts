// The instruction files of a session. Their reader is loaded with the first turn.
import type { InstructionRequest, InstructionSource } from "../../config/instructions/instruction-source.ts"
import type { SessionInstructions } from "../../contract/views/instructions.ts"

type Request = Omit<InstructionRequest, "env">

export function instructionFiles(request: Request): { read(): Promise<SessionInstructions> } {
  let source: Promise<InstructionSource> | undefined
  return { read: async () => (await (source ??= load(request))).read() }
}

async function load(request: Request): Promise<InstructionSource> {
  const { InstructionSource: Source } = await import("../../config/instructions/instruction-source.ts")
  return new Source({ ...request, env: process.env })
}
