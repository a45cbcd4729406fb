// The instruction files of a session in one line, as `run`, `attach` and `doctor` show them.
import type { InstructionFile, InstructionsReport } from "../views/instructions.ts"

/** Undefined where none is read. */
export function describeInstructions({ files }: Pick<InstructionsReport, "files">): string | undefined {
  return files.length === 0 ? undefined : files.map(describeFile).join(", ")
}

function describeFile({ path, characters, cutFromBytes }: InstructionFile): string {
  return cutFromBytes === undefined ? path : `${path} (first ${characters} characters of ${cutFromBytes} bytes)`
}
