// What the author of an extension writes down.
import type { JsonValue } from "../../contract/values.ts"
import type { HookKind } from "../../protocols/extension/frames.ts"
import type { ActionOf } from "./actions.ts"
import type { EventOf } from "./events.ts"
import type { ExtensionProvider } from "./models.ts"
import type { Memory, Settings } from "./host-services.ts"

/** What the host has said about itself and about the extension when it started it. */
export interface ExtensionContext {
  /** The name of the plugin's folder. */
  readonly pluginId: string
  readonly pluginRoot: string | null
  readonly hostRelease: string
  readonly protocolVersion: number
  /** What the manifest declares. A value that does not come from its default is text. */
  readonly config: { readonly [key: string]: JsonValue | undefined }
  readonly memory: Memory
  readonly settings: Settings
}

export type HookHandler<Kind extends HookKind> = (
  event: EventOf<Kind>,
  context: ExtensionContext,
) => ActionOf<Kind> | void | Promise<ActionOf<Kind> | void>

/** The manifest must name each of them too: a hook that it does not name is never told. */
export type Hooks = { readonly [Kind in HookKind]?: HookHandler<Kind> }

export interface ExtensionTool {
  readonly description: string
  /** JSON Schema of the input. The host does not hold models to it. */
  readonly inputSchema: { readonly [key: string]: JsonValue | undefined }
  readonly call: (input: JsonValue, context: ExtensionContext) => JsonValue | Promise<JsonValue>
}

/** What it returns is shown to whoever typed the command, after what it has said meanwhile. */
export type ExtensionCommand = (
  args: readonly string[],
  context: ExtensionContext,
  say: (text: string) => Promise<void>,
) => string | void | Promise<string | void>

export interface ExtensionDefinition {
  readonly hooks?: Hooks
  /** By name. Needs the permission `tools.register`. */
  readonly tools?: { readonly [name: string]: ExtensionTool }
  /** By the names of the manifest's `commands`, which must say `"interactive": true` for them. */
  readonly commands?: { readonly [name: string]: ExtensionCommand }
  readonly providers?: readonly ExtensionProvider[]
  /** Before the first hook. If it throws, the host does not take the extension, and says why. */
  readonly onInitialize?: (context: ExtensionContext) => void | Promise<void>
  /** Once, when the host has no more use for it or is gone; there is half a second for it. */
  readonly onShutdown?: () => void | Promise<void>
}
