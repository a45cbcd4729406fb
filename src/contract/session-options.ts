// What a client specifies when it creates a session. The configuration of the folder supplies the rest.
import { z } from "zod"
import { limits } from "./limits.ts"
import { Configuration, Preset, ThinkingLevel, ToolMode } from "./values.ts"

/** Variables of the user's shell for the tools of the session; kept in memory, never stored. */
export const ShellEnvironment = z.object({
  PATH: z.string().optional(),
  VIRTUAL_ENV: z.string().optional(),
  LANG: z.string().optional(),
  SSH_AUTH_SOCK: z.string().optional(),
})
export type ShellEnvironment = z.infer<typeof ShellEnvironment>

export const SessionOptions = z.object({
  cwd: z.string().min(1),
  /** A guided story: the host makes its folder and settings, and takes nothing else from here. */
  story: z.enum(["push"]).optional(),
  origin: z.string().min(1).max(50),
  model: z.string().min(1).max(limits.nameLength).optional(),
  /** Default: as configured, else the default of the provider. */
  thinking: ThinkingLevel.optional(),
  preset: Preset.optional(),
  toolMode: ToolMode.optional(),
  system: z.string().optional(),
  /** A named agent: its instructions, model, thinking, tools and preset apply where nothing else is requested. */
  agent: z.string().min(1).max(limits.nameLength).optional(),
  name: z.string().min(1).max(limits.nameLength).optional(),
  aliases: z.array(z.string().min(1).max(limits.nameLength)).max(limits.aliases).optional(),
  configuration: Configuration.optional(),
  /** Whose settings apply. Default: `cwd`. */
  settingsFolder: z.string().min(1).optional(),
  /** For sessions of the WebSocket API: their owner, and which configured agent answers. */
  service: z
    .object({
      org: z.string().min(1).max(limits.nameLength),
      owner: z.string().max(limits.nameLength),
      agentId: z.string().min(1).max(limits.nameLength),
    })
    .optional(),
})
export type SessionOptions = z.infer<typeof SessionOptions>
