// Tools that a configuration defines: a program that gets the input as JSON on stdin and answers on stdout. Exit code 0
// is done, everything else failed. It runs as `bash` does, behind its gate and in the sandbox, with a few variables that
// say for whom and for which call it works. All definitions are checked when the house starts, and a mistake in one is
// told before anything runs.
import type { Config } from "../contract/config.ts"
import type { Check } from "../contract/generated/tool-inputs.d.ts"
import type { JsonValue, Attachment } from "../contract/values.ts"
import type { GatedProcess } from "../processes/gated-process.ts"
import { cancelled, defineTool, failed, inOneGo } from "./define-tool.ts"
import { compileCheck, type Schema } from "./input-check.ts"
import { BoundedOutput } from "./output-bound.ts"
import { startCommand, type CommandDeps } from "./start-command.ts"
import { endedWell, tellRun, watchRun } from "./watch-run.ts"
import { canonicalToolName } from "../contract/rules/core-tools.ts"
import type { PreparedCall, Tool, ToolContext, ToolResult } from "./tool.ts"
import { rmSync } from "node:fs"
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isJsonObject, type JsonObject } from "../contract/json-object.ts"

export type DefinedTools = NonNullable<NonNullable<Config["tools"]>["define"]>
type Definition = DefinedTools[string]

export interface DefinedToolDeps extends CommandDeps {
  /** Names that are in use. */
  readonly taken: readonly string[]
  readonly timeoutSeconds?: number
}

/** A definition that cannot be used, in one sentence for the person who wrote it. */
export class DefinitionFault extends Error {
  override readonly name = "DefinitionFault"
}

const defaultTimeoutSeconds = 120
const complaintBytes = 16 * 1024
/** What every provider takes for a name. */
const possibleName = /^[\w-]{1,64}$/

export async function definedTools(define: DefinedTools, deps: DefinedToolDeps): Promise<Tool[]> {
  return Promise.all(Object.entries(define).map(([name, definition]) => definedTool(name, definition, deps)))
}

async function definedTool(name: string, definition: Definition, deps: DefinedToolDeps): Promise<Tool> {
  const inputSchema: Schema = { type: "object", ...definition.input }
  const check = await usable(name, inputSchema, deps.taken)
  return defineTool<JsonValue>({
    name,
    description: definition.description,
    class: definition.class,
    inputSchema,
    check,
    prepare: (input, context) => prepare(definition.run, input, context, deps),
  })
}

async function usable(name: string, schema: Schema, taken: readonly string[]): Promise<Check<JsonValue>> {
  const fault = (what: string) => new DefinitionFault(`tools.define.${name}: ${what}.`)
  if (!possibleName.test(name)) throw fault("a tool's name has letters, digits, '_' and '-', at most 64 of them")
  if (taken.includes(canonicalToolName(name))) throw fault("a built-in tool is known by this name; take another")
  if (schema["type"] !== "object") throw fault("its input must be of the type object")
  const compiled = await compileCheck(schema)
  if (compiled.kind === "broken") throw fault(`its input is not a valid JSON Schema: ${compiled.why}`)
  return compiled.check
}

async function prepare(
  [command = "", ...args]: readonly string[],
  input: JsonValue,
  context: ToolContext,
  deps: DefinedToolDeps,
): Promise<PreparedCall> {
  const stdin = { text: `${JSON.stringify(input)}\n` }
  const files = await layOut((await context.files?.()) ?? [])
  const env = { ...environmentOf(context), ...files.env }
  const started = await startCommand(deps, { command, args, stdin, env }, context)
  if (started.kind === "no") {
    files.remove()
    return inOneGo(context, async () => failed(started.why))
  }
  const { gated } = started
  const timeoutSeconds = deps.timeoutSeconds ?? defaultTimeoutSeconds
  return {
    process: gated.process,
    run: () => letGo(gated, context, timeoutSeconds).finally(files.remove),
    abandon() {
      gated.abandon()
      files.remove()
    },
  }
}

function environmentOf({ env, callId, idempotencyKey, sessionId, caller }: ToolContext): Record<string, string> {
  return {
    ...env,
    TURNHOUSE_CALL_ID: callId,
    TURNHOUSE_IDEMPOTENCY_KEY: idempotencyKey,
    TURNHOUSE_SESSION: sessionId,
    ...(caller === undefined ? {} : { TURNHOUSE_ORG: caller.org, TURNHOUSE_USER: caller.user }),
    ...(caller?.verifiedEmail === undefined ? {} : { TURNHOUSE_VERIFIED_EMAIL: caller.verifiedEmail }),
    ...(caller?.verifiedPhone === undefined ? {} : { TURNHOUSE_VERIFIED_PHONE: caller.verifiedPhone }),
  }
}

async function letGo(gated: GatedProcess, context: ToolContext, timeoutSeconds: number): Promise<ToolResult> {
  if (context.signal.aborted) {
    gated.abandon()
    return cancelled
  }
  const began = performance.now()
  const output = new BoundedOutput()
  const complaints = new BoundedOutput(complaintBytes)
  gated.stdout.on("data", (chunk: Uint8Array) => output.push(chunk))
  gated.stderr.on("data", (chunk: Uint8Array) => complaints.push(chunk))
  gated.go()
  const end = await watchRun(gated, timeoutSeconds * 1000, context.signal)
  const durationMs = Math.round(performance.now() - began)
  const printed = endedWell(end) ? [output] : [output, complaints]
  const texts = printed.map((one) => one.text(context.scrubber).replace(/\n$/, "")).filter((text) => text !== "")
  const told = tellRun(end, texts.join("\n"), { timeoutSeconds, durationMs, truncated: output.truncated })
  return withDirective(told, context)
}

interface LaidOutFiles {
  readonly env: Readonly<Record<string, string>>
  readonly remove: () => void
}

async function layOut(files: readonly Attachment[]): Promise<LaidOutFiles> {
  if (files.length === 0) return { env: {}, remove: () => {} }
  const folder = await mkdtemp(join(tmpdir(), "turnhouse-files-"))
  const path = join(folder, "files.json")
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await writeFile(path, JSON.stringify(files), { mode: 0o600 })
    return { env: { TURNHOUSE_FILES: path }, remove }
  } catch (fault) {
    remove()
    throw fault
  }
}

export function withDirective(result: ToolResult, { visitor }: ToolContext): ToolResult {
  if (visitor === undefined || result.outcome !== "done") return result
  const printed = objectIn(result.output)
  const directive = printed?.["directive"]
  if (printed === undefined || !isJsonObject(directive)) return result
  const { directive: _, ...rest } = printed
  const details = isJsonObject(result.details) ? result.details : {}
  return { ...result, output: wordsOf(rest), details: { ...details, directive } }
}

/** `output` alone stands for the whole rest. */
function wordsOf(rest: JsonObject): string {
  const { output } = rest
  if (output === undefined) return Object.keys(rest).length === 0 ? "Done." : JSON.stringify(rest)
  return typeof output === "string" ? output : JSON.stringify(output)
}

function objectIn(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith("{")) return undefined
  try {
    const value: JsonValue = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined // words that begin with a brace
  }
}
