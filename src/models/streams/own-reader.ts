// A model whose answers are read here. The provider's package builds the request, sends it and explains refusals; the answer is
// taken from it and mapped by ours. An answer that is unusual goes back to the package.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamResult } from "@ai-sdk/provider"
import type { ByteSource } from "../http/byte-source.ts"
import { HttpAnswer } from "../http/http-answer.ts"
import { httpFetch } from "../http/http-fetch.ts"
import { PlainHeaders } from "../http/plain-headers.ts"
import { AnswerSource, type TakeOver } from "./answer-source.ts"
import type { MakeMapper } from "./formats/event-mapper.ts"
import { PartStream } from "./part-stream.ts"
import type { Fetch } from "../providers/provider.ts"
import { RequestCapture, type Respond } from "./request-capture.ts"

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
  const call = async (respond: Respond) =>
    model.doStream({ ...options, abortSignal: capture.signalFor(respond, options.abortSignal) })
  const result = await call(take).catch(takenAnswer)
  if ("stream" in result) return result
  const { response, request } = result
  const takeOver: TakeOver = async (body) => (await call(async () => answerWith(response, body))).stream
  const source = new AnswerSource({ bytes: bytesOf(response), mapper, takeOver })
  await source.open()
  return { request, response: { headers: Object.fromEntries(response.headers) }, stream: new PartStream(source) }
}

/** Thrown through the package, which would else build its streams for nothing. */
class Taken {
  readonly response: Response
  readonly request: { readonly body?: unknown }

  constructor(response: Response, body: unknown) {
    this.response = response
    this.request = {
      get body(): unknown {
        return typeof body === "string" ? JSON.parse(body) : body // hardly anybody wants it
      },
    }
  }
}

async function take(send: () => Promise<Response>, body: unknown): Promise<Response> {
  const response = await send()
  // oxlint-disable-next-line typescript/only-throw-error -- it is an answer: an error would collect a stack trace for each request
  if (response.ok && hasBody(response)) throw new Taken(response, body)
  return response
}

function takenAnswer(fault: unknown): Taken {
  if (fault instanceof Taken) return fault
  throw fault
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
