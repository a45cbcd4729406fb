// The client of one running language server: handshake, documents, diagnostics in both models of the protocol. Starting it
// again is the owner's decision.
import type { GatedProcess } from "../../processes/gated-process.ts"
import { RpcProcess, type Reply } from "../../processes/rpc-process.ts"
import { encodeNotification, encodeRequest } from "../../protocols/json-rpc.ts"
import { memberIn, textIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { abilitiesIn, answerTo, initializeParams, pathOf, uriOf, type Abilities, type Place } from "./protocol.ts"
import type { CheckedFile } from "./describe-problems.ts"
import { OpenDocuments } from "./open-documents.ts"
import { compareProblems, countProblems, problemsIn, type Problem } from "./problems.ts"
import { PublishedProblems } from "./published-problems.ts"
import { orAborted, pause } from "./waiting.ts"

/** A file that a tool has changed. */
export interface FileChange {
  readonly realPath: string
  readonly displayPath: string
  /** Absent if it is new. */
  readonly before: string | undefined
  /** Absent if it was deleted. */
  readonly after: string | undefined
}

interface ChangedText extends FileChange {
  readonly after: string
}

export type Checked =
  /** Files may be missing: nothing was published for them in time. */
  | { readonly kind: "files"; readonly files: readonly CheckedFile[] }
  /** Nothing came until the signal was aborted. */
  | { readonly kind: "silent" }
  | { readonly kind: "error"; readonly message: string }
  /** The server has ended. */
  | { readonly kind: "fault"; readonly reason: string }

export interface ClientTiming {
  /** How long published diagnostics must not change. Many servers publish more than once. */
  readonly settleMs: number
  /** For the answer to `shutdown`, and again for the exit. */
  readonly shutdownMs: number
}

/** Bytes that a server may send from one check to the next. */
const MAX_RECEIVED_BYTES = 32 * 1024 * 1024
/** Errors that mean: ask again. */
const CONTENT_MODIFIED = -32_801
const SERVER_CANCELLED = -32_802
const ASK_AGAIN_MS = 100

export class LanguageClient {
  readonly #process: RpcProcess
  readonly #place: Place
  readonly #timing: ClientTiming
  readonly #documents: OpenDocuments
  readonly #published = new PublishedProblems()
  #abilities: Abilities = { pulls: false, identifier: undefined, savesWithText: false }
  #lastId = 0
  #receivedBefore = 0

  constructor(gated: GatedProcess, place: Place, timing: ClientTiming) {
    this.#place = place
    this.#timing = timing
    this.#documents = new OpenDocuments((method, params) => this.#notify(method, params))
    this.#process = new RpcProcess(gated, {
      serve: async ({ method, params }) => {
        this.#refuseFlood()
        return answerTo(method, params, this.#place)
      },
      notice: ({ method, params }) => this.#take(method, params),
      debug: () => {},
    })
  }

  get isClosed(): boolean {
    return this.#process.isClosed
  }

  get pulls(): boolean {
    return this.#abilities.pulls
  }

  /** Resolves with the reason when the server has ended. */
  get closed(): Promise<string> {
    return this.#process.closed
  }

  /** Why it cannot be used; undefined if it can. */
  async initialize(signal: AbortSignal): Promise<string | undefined> {
    const reply = await this.#request("initialize", initializeParams(this.#place), signal)
    if (reply.kind === "given-up") return "it did not answer initialize in time"
    if (reply.kind === "error") return `it answered initialize with an error: ${reply.message}`
    if (reply.kind === "fault") return this.#startFault(reply.reason)
    this.#abilities = abilitiesIn(reply.value)
    this.#notify("initialized", {})
    const { settings } = this.#place
    if (settings !== undefined) this.#notify("workspace/didChangeConfiguration", { settings })
    return undefined
  }

  /** Tells the server of the changes and gets the problems of the files that still exist. */
  async check(changes: readonly FileChange[], signal: AbortSignal): Promise<Checked> {
    this.#receivedBefore = this.#process.receivedBytes
    this.#documents.announce(changes)
    const texts = changes.flatMap((change): ChangedText[] =>
      change.after === undefined ? [] : [{ ...change, after: withoutMark(change.after) }],
    )
    const checked = await (this.pulls ? this.#pulled(texts, signal) : this.#awaited(texts, signal))
    if (checked.kind === "files") this.#documents.stamp(texts)
    return checked
  }

  /** Ends it by the protocol, then by signals. */
  async stop(): Promise<void> {
    const patience = AbortSignal.timeout(this.#timing.shutdownMs)
    await this.#request("shutdown", undefined, patience)
    this.#notify("exit")
    this.#process.endInput()
    await orAborted(this.#process.closed, AbortSignal.timeout(this.#timing.shutdownMs))
    await this.#process.terminate()
  }

  async kill(): Promise<void> {
    await this.#process.kill()
  }

  /** Files that it sees for the first time are checked as they were before, so that only new problems are shown. */
  async #pulled(texts: readonly ChangedText[], signal: AbortSignal): Promise<Checked> {
    const unseen = texts.filter(({ realPath, before }) => before !== undefined && !this.#documents.has(realPath))
    for (const { realPath, before = "" } of unseen) this.#documents.write(realPath, withoutMark(before))
    for (const { realPath, before = "" } of unseen) {
      const problems = await this.#pull(realPath, signal)
      if (Array.isArray(problems)) this.#documents.remember(realPath, countProblems(problems, withoutMark(before)))
    }
    for (const { realPath, after } of texts) this.#save(realPath, after)
    const files: CheckedFile[] = []
    for (const text of texts) {
      const problems = await this.#pull(text.realPath, signal)
      if (!Array.isArray(problems)) return problems
      files.push(this.#compared(text, problems))
    }
    return { kind: "files", files }
  }

  async #pull(path: string, signal: AbortSignal): Promise<Problem[] | Exclude<Checked, { kind: "files" }>> {
    const { identifier } = this.#abilities
    const params = { textDocument: { uri: uriOf(path) }, ...(identifier === undefined ? {} : { identifier }) }
    for (;;) {
      const reply = await this.#request("textDocument/diagnostic", params, signal)
      if (reply.kind === "result") return [...problemsIn(memberIn(reply.value, "items"))]
      if (reply.kind === "fault") return reply
      if (reply.kind === "given-up") return { kind: "silent" }
      if (reply.code !== CONTENT_MODIFIED && reply.code !== SERVER_CANCELLED) return reply
      await pause(ASK_AGAIN_MS, signal)
    }
  }

  async #awaited(texts: readonly ChangedText[], signal: AbortSignal): Promise<Checked> {
    for (const { realPath, after } of texts)
      this.#published.expect(realPath, () => {
        this.#save(realPath, after)
        return this.#documents.versionOf(realPath)
      })
    const end = AbortSignal.any([signal, this.#closedSignal()])
    await this.#published.settled(this.#timing.settleMs, end)
    const found = this.#published.take()
    if (this.isClosed) return { kind: "fault", reason: await this.closed }
    const files = texts.flatMap((text) => {
      const problems = found.get(text.realPath)
      return problems === undefined ? [] : [this.#compared(text, problems)]
    })
    return files.length === 0 && texts.length > 0 ? { kind: "silent" } : { kind: "files", files }
  }

  #closedSignal(): AbortSignal {
    const controller = new AbortController()
    void this.closed.then(() => controller.abort())
    return controller.signal
  }

  #compared({ realPath, displayPath, after }: ChangedText, problems: readonly Problem[]): CheckedFile {
    const earlier = this.#documents.known(realPath)
    this.#documents.remember(realPath, countProblems(problems, after))
    return { displayPath, ...compareProblems(problems, after, earlier), isCompared: earlier !== undefined }
  }

  #save(path: string, text: string): void {
    this.#documents.write(path, text)
    const included = this.#abilities.savesWithText ? { text } : {}
    this.#notify("textDocument/didSave", { textDocument: { uri: uriOf(path) }, ...included })
  }

  async #request(method: string, params: object | undefined, signal: AbortSignal): Promise<Reply> {
    const id = ++this.#lastId
    const reply = await this.#process.request(id, encodeRequest(id, method, params), { signal })
    if (reply.kind === "given-up") this.#notify("$/cancelRequest", { id })
    return reply
  }

  #notify(method: string, params?: object): void {
    this.#process.notify(encodeNotification(method, params))
  }

  #take(method: string, params: JsonValue): void {
    this.#refuseFlood()
    if (method !== "textDocument/publishDiagnostics") return
    const path = pathOf(textIn(params, "uri"))
    if (path === undefined) return
    this.#published.add(path, memberIn(params, "version"), () => problemsIn(memberIn(params, "diagnostics")))
  }

  #refuseFlood(): void {
    if (this.#process.receivedBytes - this.#receivedBefore <= MAX_RECEIVED_BYTES) return
    void this.#process.kill(`it sent more than ${MAX_RECEIVED_BYTES / 1024 / 1024} MiB between two checks`)
  }

  /** The shell exits with 126 or 127 when it cannot exec the program. */
  #startFault(reason: string): string {
    const { exitCode, lastStderrLine } = this.#process
    if (exitCode === 127) return "its program was not found"
    if (exitCode === 126) return "its program cannot be run"
    return lastStderrLine === undefined ? reason : `${reason}; last line on stderr: ${lastStderrLine}`
  }
}

/** Servers get text without a byte order mark, as from an editor. */
function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text
}
