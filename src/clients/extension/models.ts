// Models that an extension brings: what their author writes down, and the answers to the host's questions about them.
// What a model streams goes out as it comes; the result at the end repeats it, for hosts that want the whole.
import type { JsonValue } from "../../contract/values.ts"
import type {
  ProviderBlock,
  ProviderRequest,
  ProviderSpec,
  ProviderStreamEvent,
} from "../../protocols/extension/frames.ts"
import { checks } from "../../protocols/extension/generated/frames.js"
import { readProviderResult, readStreamEvent, spoken } from "../../protocols/extension/read-provider.ts"
import type { HostWire } from "./request-handler.ts"
import type { ExtensionContext } from "./definition.ts"

export interface ExtensionModel {
  readonly id: string
  readonly displayName?: string
  /** In tokens. */
  readonly contextWindow?: number
  /** Whether it can call tools. Where it has some, it is asked for a whole answer. */
  readonly toolUse?: boolean
}

/** Text, or the blocks that the model has made. */
export type ModelAnswer =
  | string
  | {
      readonly content: readonly ProviderBlock[]
      readonly stop_reason?: string
      readonly usage?: { readonly [count: string]: JsonValue | undefined }
    }

/** Text, or an event as the wire has it. */
export type StreamPiece = string | ProviderStreamEvent

/** A model is known to the host as `extension:provider:model`. Needs the permission `providers.register`. */
export interface ExtensionProvider {
  /** Small letters, digits, `-` and `_`. */
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly models: readonly ExtensionModel[]
  /** Its `required` names settings without which the extension is not taken. */
  readonly configSchema?: { readonly [key: string]: JsonValue | undefined }
  readonly complete: (request: ProviderRequest, context: ExtensionContext) => ModelAnswer | Promise<ModelAnswer>
  /** What it returns is the whole answer; without that, the text that it has yielded is. */
  readonly stream?: (
    request: ProviderRequest,
    context: ExtensionContext,
  ) => AsyncGenerator<StreamPiece, ModelAnswer | void>
}

export function providerSpecs(providers: readonly ExtensionProvider[]): readonly ProviderSpec[] {
  return providers.map(({ id, displayName, description, models, configSchema, stream }) => ({
    id,
    display_name: displayName,
    description,
    models: models.map((model) => ({
      id: model.id,
      display_name: model.displayName ?? null,
      capabilities: { streaming: stream !== undefined, tool_use: model.toolUse === true },
      context_window: model.contextWindow ?? null,
    })),
    config_schema: configSchema ?? null,
  }))
}

/** Throws what the host is to hear as an error. */
export async function answerModel(
  providers: readonly ExtensionProvider[],
  method: "provider.complete" | "provider.stream",
  params: JsonValue,
  context: ExtensionContext,
  tell: HostWire["tell"],
): Promise<JsonValue> {
  if (!checks["provider.request"](params)) throw new Error(`the parameters of ${method} are not what they must be`)
  const provider = providers.find(({ id }) => id === params.provider_id)
  if (provider?.models.some(({ id }) => id === params.model_id) !== true)
    throw new Error(`there is no model ${params.provider_id}:${params.model_id}`)
  if (method === "provider.complete") return resultOf(await provider.complete(params, context))
  if (provider.stream === undefined) throw new Error(`the provider ${provider.id} does not stream`)
  return streamed(provider.stream(params, context), tell)
}

async function streamed(pieces: AsyncGenerator<StreamPiece, ModelAnswer | void>, tell: HostWire["tell"]) {
  let text = ""
  try {
    for (;;) {
      const { done, value } = await pieces.next()
      if (done === true) return resultOf(value ?? text)
      const event = eventOf(value)
      if (event.type === "text") text += spoken(event) ?? ""
      await tell("provider.stream.event", event)
    }
  } finally {
    await pieces.return() // where the host is gone, nobody wants the rest
  }
}

function eventOf(piece: StreamPiece): ProviderStreamEvent {
  const event = typeof piece === "string" ? { type: "text", delta: piece } : piece
  const read = readStreamEvent(event)
  if (read === undefined) throw new Error(`${JSON.stringify(piece)} is nothing that a model can stream`)
  return read
}

function resultOf(answer: ModelAnswer): JsonValue {
  const result = typeof answer === "string" ? { content: [{ type: "text", text: answer }] } : { ...answer }
  const read = readProviderResult(result)
  if (read.kind === "nonsense") throw new Error(`the model's answer makes no sense: ${read.what}`)
  const { blocks, stopReason, usage } = read.answer
  return { content: blocks, stop_reason: stopReason ?? "end_turn", usage }
}
