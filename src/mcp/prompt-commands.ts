// Prompts of servers as typed commands: `/mcp__SERVER__PROMPT arg …`. The text of the prompt becomes the message of the
// user, labelled with its server.
import type { GetPromptResult } from "@modelcontextprotocol/client"
import type { CommandAnswer } from "../contract/host-commands.ts"
import { oneLine } from "../contract/text/text.ts"
import type { TypedCommand } from "../contract/views/host.ts"
import type { ListedPrompt } from "./listing/listing.ts"
import type { RunningServer } from "./running-server.ts"
import { boundedText } from "./tools/call-result.ts"
import { toolName } from "./tools/tool-names.ts"

/** How long a list of commands waits for the prompts of a server. */
const LIST_MS = 3000
const DESCRIPTION_WIDTH = 200

export async function listPromptCommands(servers: readonly RunningServer[]): Promise<readonly TypedCommand[]> {
  const found = await Promise.all(servers.map((running) => promptsOf(running, AbortSignal.timeout(LIST_MS))))
  return found.flat().map(({ running, prompt, name }) => ({
    name,
    description: oneLine(prompt.description, DESCRIPTION_WIDTH),
    ...(prompt.args.length === 0 ? {} : { usage: usageOf(prompt) }),
    source: `MCP server ${running.server.name}`,
  }))
}

/** The last argument takes the rest of the line. */
export async function runPromptCommand(
  servers: readonly RunningServer[],
  name: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<CommandAnswer> {
  const found = await Promise.all(servers.map((running) => promptsOf(running, signal)))
  const wanted = found.flat().find((one) => one.name === name)
  if (wanted === undefined) return { kind: "unknown" }
  const { running, prompt } = wanted
  const values = valuesOf(prompt, args)
  const missing = prompt.args.filter((one) => one.isRequired && values[one.name] === undefined)
  if (missing.length > 0)
    return { kind: "failed", why: `it needs ${missing.map((one) => one.name).join(", ")}: /${name} ${usageOf(prompt)}` }
  const answer = await running.prompt(prompt.name, values, signal)
  if (answer.kind === "failed") return { kind: "failed", why: answer.reason }
  const text = boundedText(promptText(answer.result))
  return { kind: "prompt", text: `The prompt '${prompt.name}' of the MCP server '${running.server.name}':\n\n${text}` }
}

interface FoundPrompt {
  readonly running: RunningServer
  readonly prompt: ListedPrompt
  readonly name: string
}

async function promptsOf(running: RunningServer, signal: AbortSignal): Promise<readonly FoundPrompt[]> {
  if (!running.hasPrompts) return []
  const answer = await running.prompts(signal)
  if (answer.kind === "failed") return []
  return answer.result.map((prompt) => ({ running, prompt, name: toolName(running.server.name, prompt.name) }))
}

function usageOf({ args }: ListedPrompt): string {
  return args.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)).join(" ")
}

function valuesOf({ args: declared }: ListedPrompt, args: readonly string[]): Record<string, string> {
  const values = declared.flatMap(({ name }, at) => {
    const value = at === declared.length - 1 ? args.slice(at).join(" ") : args[at]
    return value === undefined || value === "" ? [] : [[name, value] as const]
  })
  return Object.fromEntries(values)
}

/** A conversation is labelled by who speaks; a single message is only its text. */
function promptText({ messages }: GetPromptResult): string {
  const texts = messages.map(({ role, content }) => ({ role, text: contentText(content) }))
  const [only, ...others] = texts
  if (only !== undefined && others.length === 0) return only.text
  return texts.map(({ role, text }) => `${role}: ${text}`).join("\n\n")
}

function contentText(content: GetPromptResult["messages"][number]["content"]): string {
  if (content.type === "text") return content.text
  if (content.type === "resource" && "text" in content.resource) return content.resource.text
  return `[${content.type}, which is not shown]`
}
