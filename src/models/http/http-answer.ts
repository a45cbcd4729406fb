// The answer of a request: what the provider packages and the readers of answers use is given here, the rest by the platform's
// `Response`, which takes long to load.
import { Readable } from "node:stream"
import { ReadableSource, type ByteSource } from "./byte-source.ts"
import type { PlainHeaders } from "./plain-headers.ts"

export interface AnswerHead {
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly headers: PlainHeaders
}

export class HttpAnswer implements Response {
  readonly headers: PlainHeaders
  readonly ok: boolean
  readonly redirected = false
  readonly status: number
  readonly statusText: string
  readonly type = "default"
  readonly url: string
  readonly #content: Readable | ReadableStream<Uint8Array>
  #body: ReadableStream<Uint8Array> | undefined
  #whole: Response | undefined

  constructor({ url, status, statusText, headers }: AnswerHead, content: Readable | ReadableStream<Uint8Array>) {
    this.headers = headers
    this.ok = status >= 200 && status < 300
    this.status = status
    this.statusText = statusText
    this.url = url
    this.#content = content
    if (content instanceof Readable) content.on("error", () => {}) // known to whoever reads it
  }

  /** Instead of `body`: reading it takes fewer promises. */
  source(): ByteSource {
    return this.#content instanceof Readable ? new ReadableSource(this.#content) : this.#content.getReader()
  }

  get body(): ReadableStream<Uint8Array> {
    this.#body ??= this.#content instanceof Readable ? Readable.toWeb(this.#content) : this.#content
    return this.#body
  }

  get bodyUsed(): boolean {
    return this.#whole?.bodyUsed ?? false
  }

  arrayBuffer = () => this.#response().arrayBuffer()
  blob = () => this.#response().blob()
  bytes = () => this.#response().bytes()
  clone = () => this.#response().clone()
  formData = () => this.#response().formData()
  json = () => this.#response().json()
  text = () => this.#response().text()

  #response(): Response {
    const { status, statusText, headers } = this
    this.#whole ??= new Response(this.body, { status, statusText, headers: [...headers] })
    return this.#whole
  }
}
