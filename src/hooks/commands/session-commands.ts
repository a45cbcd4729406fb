// The plugin commands of one session. Callers look up built-in commands first.
import type { JsonValue } from "../../contract/values.ts"
import { CommandText } from "./command-output.ts"
import { runProgram, type ProgramDeps } from "./command-program.ts"
import type { HostedExtension } from "../hosted-extension.ts"
import type { CommandAnswer } from "../../contract/host-commands.ts"
import { failed, type CommandRun, type ExtensionCommand, type PluginCommand } from "./plugin-command.ts"
import { realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { readPlainFile } from "../discovery/plain-file.ts"

export class SessionCommands {
  readonly list: readonly ExtensionCommand[]
  readonly #commands: readonly PluginCommand[]
  readonly #extensions: readonly HostedExtension[]
  readonly #deps: ProgramDeps
  readonly #stopper = new AbortController()
  readonly #running = new Set<Promise<CommandAnswer>>()

  constructor(commands: readonly PluginCommand[], extensions: readonly HostedExtension[], deps: ProgramDeps) {
    this.#commands = commands
    this.#extensions = extensions
    this.#deps = deps
    this.list = commands.map(({ name, description, usage, plugin: extension }) => ({
      name,
      description,
      ...(usage === undefined ? {} : { usage }),
      extension,
    }))
  }

  /** Never rejects. The plugin's prefix may be left out when only one plugin has the command. */
  async run(name: string, args: readonly string[], { signal, inPlan }: CommandRun): Promise<CommandAnswer> {
    const exact = this.#commands.find((command) => command.name === name)
    const matching = exact === undefined ? this.#commands.filter(({ ownName }) => ownName === name) : [exact]
    const [command, another] = matching
    if (command === undefined) return { kind: "unknown" }
    if (another !== undefined)
      return failed(`several plugins have this command; use one of: ${matching.map((each) => each.name).join(", ")}`)
    const running = this.#run(command, args, { inPlan, signal: AbortSignal.any([signal, this.#stopper.signal]) })
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Aborts running commands; resolves when their processes have ended. */
  async stop(): Promise<void> {
    this.#stopper.abort()
    await Promise.allSettled(this.#running)
  }

  async #run(command: PluginCommand, args: readonly string[], { signal, inPlan }: CommandRun): Promise<CommandAnswer> {
    const { action, folder } = command
    if (inPlan && (action.kind === "tool" || action.kind === "invoke"))
      return failed("it calls an extension, which could change something. Leave plan mode first")
    switch (action.kind) {
      case "program":
        return runProgram(folder, action, args, { signal, inPlan }, this.#deps)
      case "prompt": {
        const reason = await this.#deps.starter.refusal(folder)
        return reason === undefined ? promptOf(folder, action, args) : failed(reason)
      }
      case "tool":
        return this.#callTool(command, action.tool, filled(action.input, args.join(" ")), signal)
      case "invoke":
        return this.#withExtension(command, (extension) => extension.invokeCommand(command.ownName, args, signal))
    }
  }

  #callTool(command: PluginCommand, tool: string, input: JsonValue, signal: AbortSignal): Promise<CommandAnswer> {
    return this.#withExtension(command, async (extension) => {
      const isThere = extension.tools.some(({ name }) => name === tool)
      if (!isThere) return failed(`the extension ${extension.id} has no tool '${tool}'`)
      const answer = await extension.callTool(tool, input, signal)
      const output = new CommandText()
      output.push(answer.kind === "done" ? answer.output : answer.reason)
      return answer.kind === "done" ? { kind: "output", text: output.text } : failed(output.text)
    })
  }

  async #withExtension(
    { plugin }: PluginCommand,
    work: (extension: HostedExtension) => Promise<CommandAnswer>,
  ): Promise<CommandAnswer> {
    const extension = this.#extensions.find(({ id }) => id === plugin)
    if (extension === undefined) return failed(`the extension ${plugin} is not loaded`)
    const started = await extension.started
    return started.kind === "failed"
      ? failed(`the extension ${plugin} is not loaded: ${started.reason}`)
      : work(extension)
  }
}

/** Replaces `${args}` in the manifest's text. */
function filled(input: JsonValue, typed: string): JsonValue {
  if (typeof input === "string") return input.replaceAll("${args}", () => typed)
  if (typeof input !== "object" || input === null) return input
  if (Array.isArray(input)) return input.map((item) => filled(item, typed))
  return Object.fromEntries(
    Object.entries(input).map(([key, member]) => [key, member === undefined ? member : filled(member, typed)]),
  )
}

const MAX_SKILL_BYTES = 256 * 1024
const argsPlaceholder = "${args}"

type Prompt = Extract<PluginCommand["action"], { kind: "prompt" }>

function promptOf(folder: string, { prompt, skill }: Prompt, args: readonly string[]): CommandAnswer {
  const typed = args.join(" ")
  const request = prompt.includes(argsPlaceholder)
    ? prompt.replaceAll(argsPlaceholder, () => typed)
    : [prompt, typed].join("\n")
  const instructions = skill === undefined ? undefined : skillText(folder, skill)
  const text = [instructions ?? "", request.trim()].filter((part) => part !== "").join("\n\n")
  return text === "" ? failed("its prompt is empty") : { kind: "prompt", text }
}

/** Undefined when the plugin has no such skill: the prompt works without. */
function skillText(folder: string, skill: string): string | undefined {
  if (!/^[\w.-]+$/.test(skill)) return undefined
  try {
    const file = realpathSync(join(folder, "skills", skill, "SKILL.md"))
    if (!file.startsWith(realpathSync(folder) + sep) || statSync(file).size > MAX_SKILL_BYTES) return undefined
    return readPlainFile(file)
      .replace(/^---\n[^]*?\n---\n/, "")
      .trim()
  } catch {
    return undefined
  }
}
