// A model whose answers are read here. The provider's package builds the request, sends it and explains refusals; it gets
// an empty answer, and the real one is mapped by ours. An answer that is unusual goes back to the package.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider"
import type { ByteSource } from "../http/byte-source.ts"
import { HttpAnswer } from "../http/http-answer.ts"
import { httpFetch } from "../http/http-fetch.ts"
import { PlainHeaders } from "../http/plain-headers.ts"
import { AnswerSource, type TakeOver } from "./answer-source.ts"
import type { MakeMapper } from "./formats/event-mapper.ts"
import { PartStream } from "./part-stream.ts"
import type { Fetch } from "../providers/provider.ts"
import { RequestCapture } from "./request-capture.ts"

interface Settings {
  readonly fetch?: Fetch
}

/** Settings for a provider package, and models of it whose answers are read here. */
export function ownReader<Given extends Settings>(given: Given) {
  const capture = new RequestCapture(given.fetch ?? httpFetch)
  const settings: Given & Required<Settings> = { ...given, fetch: capture.fetch }
  const read = (model: LanguageModelV4, makeMapper: MakeMapper) => withOwnReader(model, capture, makeMapper)
  return { settings, read }
}

export function withOwnReader(
  model: LanguageModelV4,
  capture: RequestCapture,
  makeMapper: MakeMapper,
): LanguageModelV4 {
  const { specificationVersion, provider, modelId, supportedUrls } = model
  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream: (options) => readAnswer(model, capture, makeMapper, options),
  }
}

async function readAnswer(
  model: LanguageModelV4,
  capture: RequestCapture,
  makeMapper: MakeMapper,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  const mapper = makeMapper(model, options)
  if (mapper === undefined) return model.doStream(options)
  let answer: Response | undefined
  const withoutBody = async (send: () => Promise<Response>) => {
    const response = await send()
    if (!response.ok || !hasBody(response)) return response
    answer = response
    return answerWith(response, new ReadableStream({ start: (controller) => controller.close() }))
  }
  const call = (respond: (send: () => Promise<Response>) => Promise<Response>) =>
    model.doStream({ ...options, abortSignal: capture.signalFor(respond, options.abortSignal) })
  const result = await call(withoutBody)
  if (answer === undefined) return result
  const response = answer
  const takeOver: TakeOver = async (body) => (await call(async () => answerWith(response, body))).stream
  const source = new AnswerSource({ bytes: bytesOf(response), mapper, takeOver, start: await startOf(result.stream) })
  await source.open()
  return { ...result, stream: new PartStream(source) }
}

/** The package's part with its warnings. */
async function startOf(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<LanguageModelV4StreamPart> {
  const reader = stream.getReader()
  const { value } = await reader.read()
  reader.cancel().catch(() => {}) // it is empty
  return value ?? { type: "stream-start", warnings: [] }
}

function hasBody(response: Response): boolean {
  return response instanceof HttpAnswer || response.body !== null
}

function bytesOf(response: Response): ByteSource {
  if (response instanceof HttpAnswer) return response.source()
  if (response.body === null) throw new TypeError("the answer has no body")
  return response.body.getReader()
}

function answerWith(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { url, status, statusText, headers } = response
  return new HttpAnswer({ url, status, statusText, headers: new PlainHeaders(headers) }, body)
}
