// Models of an extension: their definition, and the answers to the host's requests. Streamed pieces are sent at once; the
// final result repeats them.
import type { JsonValue } from "../../contract/values.ts"
import type {
  ProviderBlock,
  ProviderRequest,
  ProviderSpec,
  ProviderStreamEvent,
} from "../../protocols/extension/frames.ts"
import { checks } from "../../protocols/extension/generated/frames.js"
import { readProviderResult, readStreamEvent, deltaText } from "../../protocols/extension/providers.ts"
import type { ExtensionContext, HostConnection } from "./host-services.ts"

export interface ExtensionModel {
  readonly id: string
  readonly displayName?: string
  /** In tokens. */
  readonly contextWindow?: number
  /** Whether it can call tools. A request with tools is not streamed. */
  readonly toolUse?: boolean
}

/** Text, or content blocks. */
export type ModelAnswer =
  | string
  | {
      readonly content: readonly ProviderBlock[]
      readonly stop_reason?: string
      readonly usage?: { readonly [count: string]: JsonValue | undefined }
    }

/** Text, or an event of the protocol. */
export type StreamPiece = string | ProviderStreamEvent

/** The host names a model `extension:provider:model`. Needs the permission `providers.register`. */
export interface ExtensionProvider {
  /** Lower-case letters, digits, `-` and `_`. */
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly models: readonly ExtensionModel[]
  /** The host does not load the extension while a `required` setting is missing. */
  readonly configSchema?: { readonly [key: string]: JsonValue | undefined }
  readonly complete: (request: ProviderRequest, context: ExtensionContext) => ModelAnswer | Promise<ModelAnswer>
  /** Returns the whole answer; by default that is the yielded text. */
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

/** What it throws becomes an error response. */
export async function answerModel(
  providers: readonly ExtensionProvider[],
  method: "provider.complete" | "provider.stream",
  params: JsonValue,
  context: ExtensionContext,
  notify: HostConnection["notify"],
): Promise<JsonValue> {
  if (!checks["provider.request"](params)) throw new Error(`invalid parameters of ${method}`)
  const provider = providers.find(({ id }) => id === params.provider_id)
  if (provider?.models.some(({ id }) => id === params.model_id) !== true)
    throw new Error(`unknown model ${params.provider_id}:${params.model_id}`)
  if (method === "provider.complete") return resultOf(await provider.complete(params, context))
  if (provider.stream === undefined) throw new Error(`the provider ${provider.id} has no stream function`)
  return streamAnswer(provider.stream(params, context), notify)
}

async function streamAnswer(pieces: AsyncGenerator<StreamPiece, ModelAnswer | void>, notify: HostConnection["notify"]) {
  let text = ""
  try {
    for (;;) {
      const { done, value } = await pieces.next()
      if (done === true) return resultOf(value ?? text)
      const event = eventOf(value)
      if (event.type === "text") text += deltaText(event) ?? ""
      await notify("provider.stream.event", event)
    }
  } finally {
    await pieces.return() // also when the host is gone
  }
}

function eventOf(piece: StreamPiece): ProviderStreamEvent {
  const event = typeof piece === "string" ? { type: "text", delta: piece } : piece
  const read = readStreamEvent(event)
  if (read === undefined) throw new Error(`invalid stream piece: ${JSON.stringify(piece)}`)
  return read
}

function resultOf(answer: ModelAnswer): JsonValue {
  const result = typeof answer === "string" ? { content: [{ type: "text", text: answer }] } : { ...answer }
  const read = readProviderResult(result)
  if (read.kind === "invalid") throw new Error(`invalid answer of the model: ${read.problem}`)
  const { blocks, stopReason, usage } = read.answer
  return { content: blocks, stop_reason: stopReason ?? "end_turn", usage }
}
