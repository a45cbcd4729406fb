// Tools that a configuration defines: a program that gets the input as JSON on stdin and answers on stdout. Exit code 0
// means done. It runs like `bash`, with variables that name the caller and the call. All definitions are checked when the
// host starts.
import type { Config } from "../contract/config.ts"
import type { Check } from "../contract/generated/tool-inputs.d.ts"
import type { JsonValue, Attachment } from "../contract/values.ts"
import type { GatedProcess } from "../processes/gated-process.ts"
import { defineTool } from "./define-tool.ts"
import { compileCheck, type Schema } from "./input-check.ts"
import { BoundedOutput } from "./output-bound.ts"
import type { CommandDeps } from "./start-command.ts"
import { endedWell, prepareCommand, type Printed, type RunEnd } from "./watch-run.ts"
import { canonicalToolName } from "../contract/rules/core-tools.ts"
import type { PreparedCall, Tool, ToolContext, ToolResult } from "./tool.ts"
import { rmSync } from "node:fs"
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isJsonObject, tryParseJson, type JsonObject } from "../contract/json-object.ts"

export type DefinedTools = NonNullable<NonNullable<Config["tools"]>["define"]>
type Definition = DefinedTools[string]

export interface DefinedToolDeps extends CommandDeps {
  /** Names of other tools. */
  readonly reservedNames: readonly string[]
  readonly timeoutSeconds?: number
}

/** An invalid definition, described for its author. */
export class DefinitionFault extends Error {
  override readonly name = "DefinitionFault"
}

const DEFAULT_TIMEOUT_SECONDS = 120
const MAX_STDERR_BYTES = 16 * 1024
/** Names that every provider accepts. */
const NAME_PATTERN = /^[\w-]{1,64}$/

export async function definedTools(define: DefinedTools, deps: DefinedToolDeps): Promise<Tool[]> {
  return Promise.all(Object.entries(define).map(([name, definition]) => definedTool(name, definition, deps)))
}

async function definedTool(name: string, definition: Definition, deps: DefinedToolDeps): Promise<Tool> {
  const inputSchema: Schema = { type: "object", ...definition.input }
  const check = await usable(name, inputSchema, deps.reservedNames)
  return defineTool<JsonValue>({
    name,
    description: definition.description,
    class: definition.class,
    inputSchema,
    check,
    prepare: (input, context) => prepare(definition.run, input, context, deps),
  })
}

async function usable(name: string, schema: Schema, reservedNames: readonly string[]): Promise<Check<JsonValue>> {
  const fault = (what: string) => new DefinitionFault(`tools.define.${name}: ${what}.`)
  if (!NAME_PATTERN.test(name)) throw fault("a tool's name has letters, digits, '_' and '-', at most 64 of them")
  if (reservedNames.includes(canonicalToolName(name)))
    throw fault("a built-in tool is known by this name; take another")
  if (schema["type"] !== "object") throw fault("its input must be of the type object")
  const compiled = await compileCheck(schema)
  if (compiled.kind === "broken") throw fault(`its input is not a valid JSON Schema: ${compiled.reason}`)
  return compiled.check
}

async function prepare(
  [command = "", ...args]: readonly string[],
  input: JsonValue,
  context: ToolContext,
  deps: DefinedToolDeps,
): Promise<PreparedCall> {
  const stdin = { text: `${JSON.stringify(input)}\n` }
  const files = await writeTemporaryFiles((await context.files?.()) ?? [])
  const env = { ...environmentOf(context), ...files.env }
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = deps
  const request = { command, args, stdin, env }
  const call = await prepareCommand(deps, request, context, timeoutSeconds, (gated) => collect(gated, context)).catch(
    (fault: unknown) => {
      files.remove()
      throw fault
    },
  )
  return {
    ...call,
    run: async () => withDirective(await call.run().finally(files.remove), context),
    abandon() {
      call.abandon()
      files.remove()
    },
  }
}

/** Of a command that succeeded only stdout is shown. */
function collect({ stdout, stderr }: GatedProcess, { scrubber, printed }: ToolContext): (end: RunEnd) => Printed {
  const output = new BoundedOutput()
  const errors = new BoundedOutput(MAX_STDERR_BYTES)
  stdout.on("data", (chunk: Uint8Array) => {
    output.push(chunk)
    printed?.(chunk, "stdout")
  })
  stderr.on("data", (chunk: Uint8Array) => {
    errors.push(chunk)
    printed?.(chunk, "stderr")
  })
  return (end) => {
    const shown = endedWell(end) ? [output] : [output, errors]
    const texts = shown.map((stream) => stream.text(scrubber).replace(/\n$/, "")).filter((text) => text !== "")
    return { text: texts.join("\n"), truncated: output.truncated }
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

interface TemporaryFiles {
  readonly env: Readonly<Record<string, string>>
  readonly remove: () => void
}

async function writeTemporaryFiles(files: readonly Attachment[]): Promise<TemporaryFiles> {
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
  const printed = tryParseJson(result.output)
  if (!isJsonObject(printed) || !isJsonObject(printed["directive"])) return result
  const { directive, ...rest } = printed
  const details = isJsonObject(result.details) ? result.details : {}
  return { ...result, output: textOf(rest), details: { ...details, directive } }
}

/** `output` replaces all other members. */
function textOf(rest: JsonObject): string {
  const { output } = rest
  if (output === undefined) return Object.keys(rest).length === 0 ? "Done." : JSON.stringify(rest)
  return typeof output === "string" ? output : JSON.stringify(output)
}
