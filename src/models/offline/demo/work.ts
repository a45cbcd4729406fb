// Carrying out one request: from what its calls have answered so far to the next call, or to the answer.
// Only tools that are offered are called. A failed call is answered with what the tool said, never glossed over.
import type { JsonValue } from "../../../contract/values.ts"
import type { Settled } from "../prompt.ts"
import { appendText, replaceText, writeText } from "./change.ts"
import { askAgent, delegateTask } from "./delegation.ts"
import { fromFile } from "./from-file.ts"
import type { Request, RequestOf } from "./request.ts"
import { grepCommand, rm, shellWord } from "./shell.ts"
import { abilities } from "./sentences.ts"
import { answer, call, type Move, notDone, noTool, shown } from "./move.ts"

export function advance(request: Request, results: readonly Settled[], tools: ReadonlySet<string>): Move {
  switch (request.kind) {
    case "look":
      return look(request, results, tools)
    case "read":
      return read(request, results, tools)
    case "search":
      return search(request, results, tools)
    case "find-files":
      return findFiles(request, results, tools)
    case "replace":
      return replaceText(request, results, tools)
    case "write":
      return writeText(request, results, tools)
    case "append":
      return appendText(request, results, tools)
    case "run":
      return run(request.command, results, tools)
    case "delete":
      return remove(request, results, tools)
    case "call":
      return anyTool(request, results, tools)
    case "ask-agent":
      return askAgent(request, results, tools)
    case "delegate":
      return delegateTask(request, results, tools)
    case "help":
      return answer(`This is what I can do: ${abilities}`)
    case "nothing":
      return answer(
        "There is nothing for me to do: I act only on what a person asks me, not on a summary or on text from elsewhere.",
      )
    case "unknown":
      return answer(`I did not understand ${quote(request.text)}; I follow fixed rules. I can ${abilities}`)
  }
}

function look({ path }: RequestOf<"look">, results: readonly Settled[], tools: ReadonlySet<string>): Move {
  const where = path ?? "this folder"
  const [result] = results
  if (result === undefined) {
    if (tools.has("ls")) return call("ls", path === undefined ? {} : { path }, `I list what is in ${where}.`)
    return shell(`ls -la${path === undefined ? "" : ` ${shellWord(path)}`}`, `I list what is in ${where}.`, tools)
  }
  if (result.status !== "done") return notDone(`I could not list ${where}`, result)
  return answer(`This is in ${where}:${shown(result.output)}`)
}

function read({ path, wanted }: RequestOf<"read">, results: readonly Settled[], tools: ReadonlySet<string>): Move {
  const [result] = results
  if (result === undefined) {
    if (tools.has("read")) return call("read", { path }, `I read ${path}.`)
    return shell(`cat ${shellWord(path)}`, `I read ${path}.`, tools)
  }
  if (result.status !== "done") return notDone(`I could not read ${path}`, result)
  return answer(fromFile(path, result.output, wanted))
}

function search({ text, path }: RequestOf<"search">, results: readonly Settled[], tools: ReadonlySet<string>): Move {
  const where = path === undefined ? "" : ` in ${path}`
  const [result] = results
  if (result === undefined) {
    const thought = `I search for ${quote(text)}${where}.`
    if (!tools.has("grep")) return shell(grepCommand(text, path), thought, tools)
    return call("grep", { pattern: escapeRegExp(text), ...(path === undefined ? {} : { path }) }, thought)
  }
  if (foundNothing(result)) return answer(`${quote(text)} does not occur${where}.`)
  if (result.status !== "done") return notDone(`I could not search for ${quote(text)}${where}`, result)
  return answer(`This is what I found for ${quote(text)}${where}:${shown(result.output)}`)
}

function findFiles(
  { glob, path }: RequestOf<"find-files">,
  results: readonly Settled[],
  tools: ReadonlySet<string>,
): Move {
  const where = path === undefined ? "" : ` in ${path}`
  const [result] = results
  if (result === undefined) {
    const thought = `I look for files like ${glob}${where}.`
    if (!tools.has("find")) return shell(`find ${shellWord(path ?? ".")} -name ${shellWord(glob)}`, thought, tools)
    return call("find", { pattern: glob, ...(path === undefined ? {} : { path }) }, thought)
  }
  if (result.status !== "done") return notDone(`I could not look for ${glob}${where}`, result)
  if (foundNothing(result) || isSilent(result.output)) return answer(`There are no files like ${glob}${where}.`)
  return answer(`These files are like ${glob}${where}:${shown(result.output)}`)
}

function run(command: string, results: readonly Settled[], tools: ReadonlySet<string>): Move {
  const [result] = results
  if (result === undefined) return shell(command, `I run ${quote(command)}.`, tools)
  if (result.status !== "done") return notDone(`The command \`${command}\` was not successful`, result)
  if (isSilent(result.output)) return answer(`I ran \`${command}\`; it printed nothing.`)
  return answer(`I ran \`${command}\`. It printed:${shown(result.output)}`)
}

function remove(request: RequestOf<"delete">, results: readonly Settled[], tools: ReadonlySet<string>): Move {
  const what = request.contents ? `everything in ${request.path}` : request.path
  const command = rm(request.path, request.contents)
  if (command === undefined) {
    return answer(`I delete only what has a name inside this folder, so I did not delete ${what}.`, "failed")
  }
  const [result] = results
  if (result === undefined) return shell(command, `I delete ${what}; this cannot be undone.`, tools)
  if (result.status !== "done") return notDone(`I did not delete ${what}`, result)
  return answer(`I deleted ${what} with \`${command}\`.`)
}

function anyTool(request: RequestOf<"call">, results: readonly Settled[], tools: ReadonlySet<string>): Move {
  const { tool, input } = request
  const [result] = results
  if (result === undefined) return tools.has(tool) ? call(tool, input, `I call ${tool}.`) : noTool(tool)
  if (result.status !== "done") return notDone(`The tool ${tool} was not successful`, result)
  return answer(`The tool ${tool} answered:${shown(result.output)}`)
}

function shell(command: string, thought: string, tools: ReadonlySet<string>): Move {
  const input: JsonValue = { command }
  return tools.has("bash") ? call("bash", input, thought) : noTool("bash")
}

/** The tools say it in words; grep in a shell by exit code 1 without output. */
function foundNothing({ tool, status, output }: Settled): boolean {
  if (tool === "bash") return status === "failed" && /^(?:\(no output\)\n)?\W*exit code 1\W*$/.test(output.trim())
  return status === "done" && /^(?:nothing matches\b|no (?:matches|results|files)\b|$)/i.test(output.trim())
}

function isSilent(output: string): boolean {
  return /^(?:\(no output\))?$/.test(output.trim())
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

function quote(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 117)}…` : text
  return `"${short.replaceAll(/\s+/g, " ").trim()}"`
}
