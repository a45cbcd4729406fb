// A slash command of a plugin and its possible results. Its name starts with the plugin's id, so that plugins cannot
// collide with each other or shadow a built-in command.
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { SandboxNeeds } from "../../protocols/extension/frames.ts"

export interface PluginCommand {
  /** `plugin:command` */
  readonly name: string
  /** Name in the manifest. */
  readonly ownName: string
  /** The plugin's id. */
  readonly plugin: string
  readonly folder: string
  readonly description: string
  /** Usage text of the arguments. */
  readonly usage: string | undefined
  readonly action: CommandAction
}

export type CommandAction =
  | {
      readonly kind: "program"
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly needs: SandboxNeeds | undefined
    }
  | { readonly kind: "tool"; readonly tool: string; readonly input: JsonValue }
  | { readonly kind: "prompt"; readonly prompt: string; readonly skill: string | undefined }
  /** Handled by the extension process. */
  | { readonly kind: "invoke" }

/** Conditions of one run. */
export interface CommandRun {
  readonly signal: AbortSignal
  /** The session is in plan mode: the command must not write. */
  readonly inPlan: boolean
}

/** As listed for clients. */
export interface ExtensionCommand {
  readonly name: string
  readonly description: string
  readonly usage?: string
  readonly extension: string
}

export function failed(reason: string): CommandAnswer {
  return { kind: "failed", why: reason }
}
