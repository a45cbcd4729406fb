// A command that a plugin brings for people to type, and what may come of it. Its name begins with the plugin's id, so
// that two plugins cannot be in each other's way and none can stand in for a command of a door.
import type { CommandAnswer } from "../../contract/typed-commands.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { SandboxNeeds } from "../../protocols/extension/frames.ts"

export interface PluginCommand {
  /** `plugin:command` */
  readonly name: string
  /** As the manifest has it. */
  readonly ownName: string
  /** The plugin's id. */
  readonly plugin: string
  readonly folder: string
  readonly description: string
  /** What may follow the name. */
  readonly usage: string | undefined
  readonly does: CommandDeed
}

export type CommandDeed =
  | {
      readonly kind: "program"
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly needs: SandboxNeeds | undefined
    }
  | { readonly kind: "tool"; readonly tool: string; readonly input: JsonValue }
  | { readonly kind: "prompt"; readonly prompt: string; readonly skill: string | undefined }
  /** The extension itself is asked. */
  | { readonly kind: "invoke" }

/** How a command is to be run. */
export interface CommandRun {
  readonly signal: AbortSignal
  /** The session is in plan mode: the command may not write. */
  readonly inPlan: boolean
}

/** A command as it is offered. */
export interface ExtensionCommand {
  readonly name: string
  readonly description: string
  readonly usage?: string
  readonly extension: string
}

export function failed(why: string): CommandAnswer {
  return { kind: "failed", why }
}
