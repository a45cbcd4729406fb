// What an undo did, or would do, to files. Bounded: long lists end with a count.
import { z } from "zod"

export const UndoneFile = z.object({
  /** Relative to the folder, or absolute for a file outside of it. */
  path: z.string(),
  /** `conflict` and `failed`: the file was not touched. */
  action: z.enum(["restored", "recreated", "deleted", "conflict", "failed"]),
  reason: z.string().optional(),
})
export type UndoneFile = z.infer<typeof UndoneFile>

export const UndoReport = z.object({
  turns: z.int(),
  /** What the paths are relative to; absent where no turn changed files. */
  folder: z.string().optional(),
  files: z.array(UndoneFile),
  /** Files that are not listed. */
  moreFiles: z.int(),
  /** Of all files, also of those that are not listed. */
  reverted: z.int(),
  conflicts: z.int(),
  /** One sentence each: what was not reverted, or may not have been. */
  notReverted: z.array(z.string()),
  conversation: z.enum(["rewound", "kept"]),
  /** Why nothing at all was done. */
  refused: z.string().optional(),
})
export type UndoReport = z.infer<typeof UndoReport>
