// Runs the configured formatter on a file that a tool has changed. A formatter that fails, hangs or floods never undoes
// the change: the result of the tool says what happened.
import { globMatcher } from "../../contract/text/glob.ts"
import { decodedText } from "../files/encoding.ts"
import type { FileMemory, FormatFile } from "../files/file-memory.ts"
import type { HeldFile } from "../files/with-file.ts"
import { BoundedOutput } from "../output-bound.ts"
import { startCommand, type CommandDeps } from "../start-command.ts"
import type { ToolContext } from "../tool.ts"
import { watchRun } from "../watch-run.ts"
import { existingFile } from "./replace-file.ts"

const MAX_SECONDS = 20
/** Bytes of a formatter's messages that are shown. */
const MAX_MESSAGE_BYTES = 2000

/** `commands` by glob; the path of the file is added as the last argument. The first glob that matches counts. */
export function fileFormatter(commands: Readonly<Record<string, readonly string[]>>, deps: CommandDeps): FormatFile {
  const table = Object.entries(commands).map(([glob, command]) => ({ matches: globMatcher(glob), command }))
  return async ({ realPath, displayPath }, context) => {
    const [command, ...args] = table.find(({ matches }) => matches?.(displayPath) === true)?.command ?? []
    return command === undefined ? undefined : run(deps, { command, args: [...args, realPath] }, context)
  }
}

/** Undefined when it succeeded, or else what went wrong. */
async function run(
  deps: CommandDeps,
  request: { readonly command: string; readonly args: readonly string[] },
  context: ToolContext,
): Promise<string | undefined> {
  const started = await startCommand(deps, { ...request, env: context.env }, context)
  if (started.kind === "no") return `The formatter did not run: ${started.reason}`
  const { gated } = started
  const output = new BoundedOutput(MAX_MESSAGE_BYTES)
  for (const stream of [gated.stdout, gated.stderr]) stream.on("data", (chunk: Uint8Array) => output.push(chunk))
  gated.go()
  const { kind, exit } = await watchRun(gated, MAX_SECONDS * 1000, context.signal)
  if (kind === "exited" && exit.code === 0) return undefined
  const how = kind === "timed-out" ? `took more than ${MAX_SECONDS} s` : `failed (${exit.code ?? exit.signal ?? kind})`
  return `The formatter ${request.command} ${how}: ${output.text(context.scrubber).trim()}`
}

export interface FormattedText {
  readonly text: string
  readonly notices: readonly string[]
}

/** The text of a changed file after its formatter; the session remembers it as read. */
export async function formattedText(
  file: HeldFile,
  text: string,
  context: ToolContext,
  { format, memory }: { readonly format: FormatFile | undefined; readonly memory: FileMemory },
): Promise<FormattedText> {
  if (format === undefined) return { text, notices: [] }
  const complaint = await format(file, context)
  const notices = complaint === undefined ? [] : [`[${complaint}]`]
  const now = await existingFile(file)
  if (now.kind !== "file" || now.bytes === undefined) return { text, notices }
  memory.remember(file.realPath, now.print)
  const after = decodedText(now.bytes)?.text ?? text
  return {
    text: after,
    notices: after === text ? notices : [...notices, "[The formatter changed the file; the diff shows the result.]"],
  }
}
