// Answers the requests of a host. Never throws: what a handler throws becomes a JSON-RPC error, which a host treats as
// `continue`, or as a block if the extension is a guard. An action that the hook does not accept is an error too.
import { isJsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { errorAnswer, type Answer } from "../../protocols/json-rpc.ts"
import type { HookEvent, HookKind } from "../../protocols/extension/frames.ts"
import { checks } from "../../protocols/extension/generated/frames.js"
import { protocolVersions } from "../../protocols/extension/handshake.ts"
import { readAction } from "../../protocols/extension/hook-kinds.ts"
import { allow, isEventOf } from "./hooks.ts"
import { type ExtensionContext, type HostConnection, memoryOf, settingsOf } from "./host-services.ts"
import type { ExtensionDefinition } from "./definition.ts"
import { answerModel, providerSpecs } from "./models.ts"
import type { HostCalls } from "./host-calls.ts"

export interface HostRequest {
  readonly method: string
  readonly params: JsonValue
}

export class RequestHandler {
  readonly #definition: ExtensionDefinition
  readonly #host: HostConnection
  #context: ExtensionContext | undefined
  #isShutDown = false

  constructor(definition: ExtensionDefinition, host: HostConnection) {
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

  /** Runs once: a host sends `shutdown` and then ends the input. */
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
        return result(await answerModel(providers, method, params, this.#requireContext(), this.#host.notify))
      }
      case "shutdown":
        await this.shutDown()
        return result({ ok: true })
      default:
        return errorAnswer("unknownMethod", `unknown method ${method}`)
    }
  }

  async #initialize(params: JsonValue): Promise<Answer> {
    const context = readContext(params, this.#host.calls)
    if (context === undefined) return badParams("initialize")
    if (!protocolVersions.includes(context.protocolVersion))
      return errorAnswer("badParams", `unsupported protocol version ${context.protocolVersion}`)
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
    const what = read.kind === "no-action" ? read.problem : "modify without an input"
    return errorAnswer("failed", `the handler of ${params.kind} returned ${what}`)
  }

  #callHandler<Kind extends HookKind>(kind: Kind, event: HookEvent) {
    const handler = this.#definition.hooks?.[kind]
    if (handler === undefined) return undefined
    if (!isEventOf(event, kind)) throw new Error(`the event of ${kind} is incomplete`)
    return handler(event, this.#requireContext())
  }

  async #callTool(params: JsonValue): Promise<Answer> {
    const { name, input = null } = isJsonObject(params) ? params : {}
    const { tools = {} } = this.#definition
    if (typeof name !== "string" || !Object.hasOwn(tools, name)) return badParams("tool.call")
    return result((await tools[name]?.call(input, this.#requireContext())) ?? null)
  }

  async #runCommand(params: JsonValue): Promise<Answer> {
    const { command, args = [], request_id = null } = isJsonObject(params) ? params : {}
    const { commands = {} } = this.#definition
    if (typeof command !== "string" || !Object.hasOwn(commands, command) || !Array.isArray(args))
      return badParams("command.invoke")
    const texts = args.filter((arg) => typeof arg === "string")
    const say = (content: string) =>
      this.#host.notify("command.output", { request_id, event: { kind: "text", content } })
    const output = await commands[command]?.(texts, this.#requireContext(), say)
    return result(typeof output === "string" ? { output } : {})
  }

  #requireContext(): ExtensionContext {
    if (this.#context === undefined) throw new Error("the host has not sent initialize")
    return this.#context
  }
}

function readContext(params: JsonValue, calls: HostCalls): ExtensionContext | undefined {
  if (!isJsonObject(params)) return undefined
  const { plugin_id, plugin_root = null, synaps_version, extension_protocol_version, config = {} } = params
  if (typeof plugin_id !== "string" || typeof extension_protocol_version !== "number") return undefined
  return {
    pluginId: plugin_id,
    pluginRoot: typeof plugin_root === "string" ? plugin_root : null,
    hostRelease: typeof synaps_version === "string" ? synaps_version : "",
    protocolVersion: extension_protocol_version,
    config: isJsonObject(config) ? config : {},
    memory: memoryOf(plugin_id, calls),
    settings: settingsOf(calls),
  }
}

function result(value: JsonValue): Answer {
  return { kind: "result", value }
}

function badParams(method: string): Answer {
  return errorAnswer("badParams", `invalid parameters of ${method}`)
}
