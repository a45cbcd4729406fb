// The near end of reading documents that are not plain text, one after another. A reader that takes too long or too much
// memory is ended; the document is at fault then, and the next one gets a new reader.
import { Worker } from "node:worker_threads"
import { ExtractFault, extractLimits } from "./extract-limits.ts"
import type { Kind } from "./kinds.ts"

export interface ExtractRequest {
  readonly kind: Exclude<Kind, "text">
  readonly file: Uint8Array
  /** Of a page, as its server names it. */
  readonly charset?: string | undefined
}

export type ExtractAnswer = { readonly text: string } | { readonly fault: string }

export interface ExtractorOptions {
  readonly milliseconds?: number
  readonly heapMegabytes?: number
}

const tooMuchMemory = "it takes too much memory to read"
const memoryLookMs = 50

export class Extractor {
  readonly #options: ExtractorOptions
  #worker: Worker | undefined
  #settle: ((answer: ExtractAnswer) => void) | undefined

  constructor(options: ExtractorOptions = {}) {
    this.#options = options
  }

  async text(request: ExtractRequest): Promise<string> {
    if (request.file.byteLength > extractLimits.fileBytes) throw new ExtractFault("it is too large")
    const worker = this.#running()
    const answer = await this.#answerOf(worker, request)
    if ("fault" in answer) throw new ExtractFault(answer.fault)
    return answer.text
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  get #mostMegabytes(): number {
    return this.#options.heapMegabytes ?? extractLimits.heapMegabytes
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const maxOldGenerationSizeMb = this.#mostMegabytes
    const file = new URL("./extract-thread.ts", import.meta.url)
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb }, execArgv: [] })
    worker.on("message", (answer: ExtractAnswer) => this.#settle?.(answer))
    worker.on("error", (fault) => this.#giveUp(worker, reasonOf(fault)))
    worker.on("exit", () => this.#giveUp(worker, "its reader ended without a word"))
    this.#worker = worker
    return worker
  }

  async #answerOf(worker: Worker, request: ExtractRequest): Promise<ExtractAnswer> {
    const tooLong = () => this.#giveUp(worker, "it takes too long to read")
    const patience = setTimeout(tooLong, this.#options.milliseconds ?? extractLimits.milliseconds)
    const watch = this.#watchMemory(worker)
    worker.ref()
    try {
      return await new Promise((resolve) => {
        this.#settle = resolve
        worker.postMessage(request, [])
      })
    } finally {
      clearTimeout(patience)
      clearInterval(watch)
      worker.unref()
    }
  }

  /** The limit of a thread counts objects alone; what a packed file unfolds to lies beside them. */
  #watchMemory(worker: Worker): NodeJS.Timeout {
    const most = process.memoryUsage.rss() + this.#mostMegabytes * 1024 * 1024
    return setInterval(() => {
      if (process.memoryUsage.rss() > most) this.#giveUp(worker, tooMuchMemory)
    }, memoryLookMs)
  }

  /** The next document gets a reader of its own. */
  #giveUp(worker: Worker, fault: string): void {
    if (this.#worker !== worker) return
    this.#settle?.({ fault })
    void this.close()
  }
}

function reasonOf(fault: unknown): string {
  const isMemory = fault instanceof Error && "code" in fault && fault.code === "ERR_WORKER_OUT_OF_MEMORY"
  return isMemory ? tooMuchMemory : `its reader failed: ${String(fault)}`
}
