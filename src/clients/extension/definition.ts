// The definition that the author of an extension writes.
import type { JsonValue } from "../../contract/values.ts"
import type { HookKind } from "../../protocols/extension/frames.ts"
import type { ActionOf, EventOf } from "./hooks.ts"
import type { ExtensionContext } from "./host-services.ts"
import type { ExtensionProvider } from "./models.ts"

export type HookHandler<Kind extends HookKind> = (
  event: EventOf<Kind>,
  context: ExtensionContext,
) => ActionOf<Kind> | void | Promise<ActionOf<Kind> | void>

/** The manifest must list each hook: others are never called. */
export type Hooks = { readonly [Kind in HookKind]?: HookHandler<Kind> }

export interface ExtensionTool {
  readonly description: string
  /** JSON Schema of the input. The host does not validate it. */
  readonly inputSchema: { readonly [key: string]: JsonValue | undefined }
  readonly call: (input: JsonValue, context: ExtensionContext) => JsonValue | Promise<JsonValue>
}

/** The returned text is shown to the user after the output of `say`. */
export type ExtensionCommand = (
  args: readonly string[],
  context: ExtensionContext,
  say: (text: string) => Promise<void>,
) => string | void | Promise<string | void>

export interface ExtensionDefinition {
  readonly hooks?: Hooks
  /** By name. Needs the permission `tools.register`. */
  readonly tools?: { readonly [name: string]: ExtensionTool }
  /** By name. The manifest must list each with `"interactive": true`. */
  readonly commands?: { readonly [name: string]: ExtensionCommand }
  readonly providers?: readonly ExtensionProvider[]
  /** Before the first hook. If it throws, the host does not load the extension and shows the error. */
  readonly onInitialize?: (context: ExtensionContext) => void | Promise<void>
  /** Called once, on shutdown or when the host is gone. It has half a second. */
  readonly onShutdown?: () => void | Promise<void>
}
