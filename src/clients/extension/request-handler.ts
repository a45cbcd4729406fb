// The answer to each request of a host. Nothing here throws: what a handler throws is an error of JSON-RPC, which a host
// takes as no objection, or as none given if the extension is a guard. An action that the hook does not take is such an
// error too, so that its author hears of it.
import type { JsonValue } from "../../contract/values.ts"
import { errorAnswer } from "../../protocols/extension/errors.ts"
import type { HookEvent, HookKind } from "../../protocols/extension/frames.ts"
import { checks } from "../../protocols/extension/generated/frames.js"
import { protocolVersions } from "../../protocols/extension/handshake.ts"
import { readAction } from "../../protocols/extension/read-action.ts"
import { isObject, type Answer } from "../../protocols/extension/receive.ts"
import { allow } from "./actions.ts"
import type { ExtensionContext, ExtensionDefinition } from "./definition.ts"
import { isEventOf } from "./events.ts"
import { answerModel, providerSpecs } from "./models.ts"
import type { HostCalls } from "./host-calls.ts"
import { memoryOf, settingsOf } from "./host-services.ts"

export interface HostRequest {
  readonly method: string
  readonly params: JsonValue
}

/** The host, as far as it can be told something. */
export interface HostWire {
  readonly calls: HostCalls
  readonly tell: (method: string, params: JsonValue) => Promise<void>
}

export class Answering {
  readonly #definition: ExtensionDefinition
  readonly #host: HostWire
  #context: ExtensionContext | undefined
  #isShutDown = false

  constructor(definition: ExtensionDefinition, host: HostWire) {
    this.#definition = definition
    this.#host = host
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
      case "command.invoke":
        return this.#runCommand(params)
      case "provider.complete":
      case "provider.stream": {
        const { providers = [] } = this.#definition
        return result(await answerModel(providers, method, params, this.#greeted(), this.#host.tell))
      }
      case "shutdown":
        await this.shutDown()
        return result({ ok: true })
      default:
        return errorAnswer("unknownMethod", `there is no method ${method}`)
    }
  }

  async #initialize(params: JsonValue): Promise<Answer> {
    const context = contextIn(params, this.#host.calls)
    if (context === undefined) return badParams("initialize")
    if (!protocolVersions.includes(context.protocolVersion))
      return errorAnswer("badParams", `version ${context.protocolVersion} of the protocol is not known here`)
    await this.#definition.onInitialize?.(context)
    this.#context = context
    return result({ protocol_version: context.protocolVersion, capabilities: this.#capabilities() })
  }

  #capabilities() {
    const tools = Object.entries(this.#definition.tools ?? {}).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      input_schema: inputSchema,
    }))
    const providers = providerSpecs(this.#definition.providers ?? [])
    return { ...(tools.length === 0 ? {} : { tools }), ...(providers.length === 0 ? {} : { providers }) }
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

  async #runCommand(params: JsonValue): Promise<Answer> {
    const { command, args = [], request_id = null } = isObject(params) ? params : {}
    const { commands = {} } = this.#definition
    if (typeof command !== "string" || !Object.hasOwn(commands, command) || !Array.isArray(args))
      return badParams("command.invoke")
    const words = args.filter((word) => typeof word === "string")
    const say = (content: string) => this.#host.tell("command.output", { request_id, event: { kind: "text", content } })
    const output = await commands[command]?.(words, this.#greeted(), say)
    return result(typeof output === "string" ? { output } : {})
  }

  #greeted(): ExtensionContext {
    if (this.#context === undefined) throw new Error("initialize must come first")
    return this.#context
  }
}

function contextIn(params: JsonValue, calls: HostCalls): ExtensionContext | undefined {
  if (!isObject(params)) return undefined
  const { plugin_id, plugin_root = null, synaps_version, extension_protocol_version, config = {} } = params
  if (typeof plugin_id !== "string" || typeof extension_protocol_version !== "number") return undefined
  return {
    pluginId: plugin_id,
    pluginRoot: typeof plugin_root === "string" ? plugin_root : null,
    hostRelease: typeof synaps_version === "string" ? synaps_version : "",
    protocolVersion: extension_protocol_version,
    config: isObject(config) ? config : {},
    memory: memoryOf(plugin_id, calls),
    settings: settingsOf(calls),
  }
}

function result(value: JsonValue): Answer {
  return { kind: "result", value }
}

function badParams(method: string): Answer {
  return errorAnswer("badParams", `the parameters of ${method} are not what they must be`)
}
