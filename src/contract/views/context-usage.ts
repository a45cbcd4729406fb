// What fills the context window of a session's model, in estimated tokens.
import { z } from "zod"
import { list } from "./list.ts"

export const ContextPart = z.object({
  kind: z.enum(["system", "instructions", "tools", "summary", "messages", "results"]),
  /** The file of instructions. */
  name: z.string().optional(),
  tokens: z.int(),
})
export type ContextPart = z.infer<typeof ContextPart>

export const ContextUsage = z.object({
  model: z.string(),
  /** Tokens that the model takes. */
  window: z.int(),
  /** Tokens at which the context is compacted; absent where it never is. */
  compactsAt: z.int().optional(),
  parts: list(ContextPart),
  /** Tool results that are replaced by a note. */
  agedResults: z.int(),
  /** Tokens of the newest request and its answer, as the provider counted them. */
  reported: z.int().optional(),
})
export type ContextUsage = z.infer<typeof ContextUsage>
