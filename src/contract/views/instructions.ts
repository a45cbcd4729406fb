// Instruction files (AGENTS.md, CLAUDE.md) of a session, as clients list them.
import { z } from "zod"
import { list } from "./list.ts"

export const InstructionFile = z.object({
  /** Relative to the repository, or with `~/` for a file of the user. */
  path: z.string(),
  /** Characters that the model gets. */
  characters: z.int(),
  /** The file that imports it. */
  importedBy: z.string().optional(),
  /** Set where only the beginning is sent: the size of the whole file. */
  cutFromBytes: z.int().optional(),
})
export type InstructionFile = z.infer<typeof InstructionFile>

export const InstructionsReport = z.object({
  /** In the order in which the model gets them: general ones first. */
  files: list(InstructionFile),
  /** Files that exist but are not read, because their folder is not trusted. */
  unread: list(z.string()),
  /** One sentence for each file or import that is not used, and for the folder that is not trusted. */
  notices: list(z.string()),
})
export type InstructionsReport = z.infer<typeof InstructionsReport>

export interface InstructionText extends InstructionFile {
  readonly text: string
}

export interface SessionInstructions extends InstructionsReport {
  readonly files: readonly InstructionText[]
}
