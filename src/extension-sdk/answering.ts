// The answer to each request of a host. Nothing here throws: what a handler throws is an error of JSON-RPC, which a host
// takes as no objection, or as none given if the extension is a guard. An action that the hook does not take is such an
// error too, so that its author hears of it.
import type { JsonValue } from "../contract/values.ts"
import { errorAnswer } from "../protocols/extension/errors.ts"
import type { HookEvent, HookKind } from "../protocols/extension/frames.ts"
import { checks } from "../protocols/extension/generated/frames.js"
import { protocolVersions } from "../protocols/extension/handshake.ts"
import { readAction } from "../protocols/extension/read-action.ts"
import { isObject, type Answer } from "../protocols/extension/receive.ts"
import { allow } from "./actions.ts"
import type { ExtensionContext, ExtensionDefinition } from "./definition.ts"
import { isEventOf } from "./events.ts"

export interface HostRequest {
  readonly method: string
  readonly params: JsonValue
}

export class Answering {
  readonly #definition: ExtensionDefinition
  #context: ExtensionContext | undefined
  #isShutDown = false

  constructor(definition: ExtensionDefinition) {
    this.#definition = definition
  }

  async answer(request: HostRequest): Promise<Answer> {
    try {
      return await this.#answer(request)
    } catch (fault) {
      console.error(fault)
      return errorAnswer("failed", fault instanceof Error ? fault.message : String(fault))
    }
  }

  /** Does something only the first time: a host says `shutdown` and then ends the input. */
  async shutDown(): Promise<void> {
    if (this.#isShutDown) return
    this.#isShutDown = true
    await this.#definition.onShutdown?.()
  }

  async #answer({ method, params }: HostRequest): Promise<Answer> {
    switch (method) {
      case "initialize":
        return this.#initialize(params)
      case "hook.handle":
        return this.#handleHook(params)
      case "tool.call":
        return this.#callTool(params)
      case "shutdown":
        await this.shutDown()
        return result({ ok: true })
      default:
        return errorAnswer("unknownMethod", `there is no method ${method}`)
    }
  }

  async #initialize(params: JsonValue): Promise<Answer> {
    const context = contextIn(params)
    if (context === undefined) return badParams("initialize")
    if (!protocolVersions.includes(context.protocolVersion))
      return errorAnswer("badParams", `version ${context.protocolVersion} of the protocol is not known here`)
    await this.#definition.onInitialize?.(context)
    this.#context = context
    const tools = Object.entries(this.#definition.tools ?? {}).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      input_schema: inputSchema,
    }))
    return result({ protocol_version: context.protocolVersion, capabilities: tools.length === 0 ? {} : { tools } })
  }

  async #handleHook(params: JsonValue): Promise<Answer> {
    if (!checks.event(params)) return badParams("hook.handle")
    const action = (await this.#callHandler(params.kind, params)) ?? allow()
    const read = readAction(params.kind, action)
    if (read.kind === "action") return result(action)
    const what = read.kind === "no-action" ? read.what : "modify without an input"
    return errorAnswer("failed", `the handler of ${params.kind} answered with ${what}`)
  }

  #callHandler<Kind extends HookKind>(kind: Kind, event: HookEvent) {
    const handler = this.#definition.hooks?.[kind]
    if (handler === undefined) return undefined
    if (!isEventOf(event, kind)) throw new Error(`the event of ${kind} is not complete`)
    return handler(event, this.#greeted())
  }

  async #callTool(params: JsonValue): Promise<Answer> {
    const { name, input = null } = isObject(params) ? params : {}
    const { tools = {} } = this.#definition
    if (typeof name !== "string" || !Object.hasOwn(tools, name)) return badParams("tool.call")
    return result((await tools[name]?.call(input, this.#greeted())) ?? null)
  }

  #greeted(): ExtensionContext {
    if (this.#context === undefined) throw new Error("initialize must come first")
    return this.#context
  }
}

function contextIn(params: JsonValue): ExtensionContext | undefined {
  if (!isObject(params)) return undefined
  const { plugin_id, plugin_root = null, synaps_version, extension_protocol_version, config = {} } = params
  if (typeof plugin_id !== "string" || typeof extension_protocol_version !== "number") return undefined
  return {
    pluginId: plugin_id,
    pluginRoot: typeof plugin_root === "string" ? plugin_root : null,
    hostRelease: typeof synaps_version === "string" ? synaps_version : "",
    protocolVersion: extension_protocol_version,
    config: isObject(config) ? config : {},
  }
}

function result(value: JsonValue): Answer {
  return { kind: "result", value }
}

function badParams(method: string): Answer {
  return errorAnswer("badParams", `the parameters of ${method} are not what they must be`)
}
