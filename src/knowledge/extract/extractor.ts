// Extracts text from documents in a worker thread, one at a time. A worker that exceeds time or memory is terminated, the
// document is refused, and the next one gets a new worker.
import { Worker } from "node:worker_threads"
import { ExtractFault, extractLimits } from "./extract-limits.ts"
import type { WholeKind } from "./kinds.ts"
import { moduleUrl } from "../../program/program-files.ts"

export interface ExtractRequest {
  readonly kind: WholeKind
  readonly file: Uint8Array
  /** Media type of a page, from its server. */
  readonly charset?: string | undefined
  /** Address of a page: it becomes Markdown with absolute links, its title in the first line. */
  readonly base?: string | undefined
  /** A form feed after each page of a PDF file, in place of an empty line. */
  readonly pageBreaks?: boolean
  /** Of the subject of a message; 1 by default. */
  readonly headingLevel?: number
}

export type ExtractAnswer = { readonly text: string } | { readonly fault: string }

export interface ExtractorOptions {
  readonly milliseconds?: number
  readonly heapMegabytes?: number
}

const tooMuchMemory = "it takes too much memory to read"
const MEMORY_POLL_MS = 50

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

  /** A document that is being read is given up. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#settle?.({ fault: "its reader was closed" })
    await worker?.terminate()
  }

  get #maxMegabytes(): number {
    return this.#options.heapMegabytes ?? extractLimits.heapMegabytes
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const maxOldGenerationSizeMb = this.#maxMegabytes
    const file = moduleUrl("knowledge/extract/extract-thread")
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb }, execArgv: [] })
    worker.on("message", (answer: ExtractAnswer) => this.#settle?.(answer))
    worker.on("error", (fault) => this.#fail(worker, reasonOf(fault)))
    worker.on("exit", () => this.#fail(worker, "its reader exited unexpectedly"))
    this.#worker = worker
    return worker
  }

  async #answerOf(worker: Worker, request: ExtractRequest): Promise<ExtractAnswer> {
    const tooLong = () => this.#fail(worker, "it takes too long to read")
    const timer = setTimeout(tooLong, this.#options.milliseconds ?? extractLimits.milliseconds)
    const watch = this.#watchMemory(worker)
    worker.ref()
    try {
      return await new Promise((resolve) => {
        this.#settle = resolve
        worker.postMessage(request, [])
      })
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      worker.unref()
    }
  }

  /** The heap limit of a worker does not cover buffers. */
  #watchMemory(worker: Worker): NodeJS.Timeout {
    const maxBytes = process.memoryUsage.rss() + this.#maxMegabytes * 1024 * 1024
    return setInterval(() => {
      if (process.memoryUsage.rss() > maxBytes) this.#fail(worker, tooMuchMemory)
    }, MEMORY_POLL_MS)
  }

  /** The next document gets a new worker. */
  #fail(worker: Worker, fault: string): void {
    if (this.#worker !== worker) return
    this.#settle?.({ fault })
    void this.close()
  }
}

/** In a thread of its own, which ends with the call. */
export async function extractOnce(request: ExtractRequest, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const extractor = new Extractor()
  const stop = () => void extractor.close()
  signal.addEventListener("abort", stop)
  try {
    return await extractor.text(request)
  } finally {
    signal.removeEventListener("abort", stop)
    await extractor.close()
  }
}

function reasonOf(fault: unknown): string {
  const isMemory = fault instanceof Error && "code" in fault && fault.code === "ERR_WORKER_OUT_OF_MEMORY"
  return isMemory ? tooMuchMemory : `its reader failed: ${String(fault)}`
}
