// Plays the scripts of tasks as a model behind a provider server. A script is run anew for each request with the results
// in it, so a repeated request gets the same answer and a continued session continues.
import { startProviderServer, type ProviderServer, type Received } from "../../spec/provider-server/server.ts"
import type { Answer, Block, ScriptedUsage } from "../../spec/provider-server/script.ts"
import { isJsonObject } from "../../src/contract/json-object.ts"
import { conversationIn, type Conversation } from "./conversation.ts"
import type { Result, Script, Task } from "./task.ts"

export interface Player {
  readonly server: ProviderServer
  /** Requests whose prompt contains the text. */
  readonly requestsOf: (task: Task) => readonly Received[]
}

/** `ignoresResults`: the model gets its calls answered with nothing. No task may pass that way. */
export async function startPlayer(tasks: readonly Task[], ignoresResults = false): Promise<Player> {
  const seen: string[] = []
  const server = await startProviderServer({ replies: [] }, ({ body }) => {
    const text = cachedText(body)
    const answer = answerTo(conversationIn(body), tasks, ignoresResults)
    const usage = usageOf(text, seen)
    seen.push(text)
    if (answer === undefined) return { status: 400, error: { message: "no task has this prompt" } }
    const blocks = answer.blocks.map((block) => spokenFor(body, block))
    return { ...answer, blocks, usage: { ...usage, output: tokensOf(JSON.stringify(blocks)) } }
  })
  return {
    server,
    requestsOf: (task) => server.requests.filter(({ body }) => conversationIn(body).prompt.includes(task.instruction)),
  }
}

function answerTo(conversation: Conversation, tasks: readonly Task[], ignoresResults: boolean): Answer | undefined {
  const script = scriptFor(conversation.prompt, tasks)
  return script === undefined ? undefined : play(script, conversation, ignoresResults)
}

function scriptFor(prompt: string, tasks: readonly Task[]): Script | undefined {
  const ofAgent = tasks.flatMap(({ agents = {} }) => Object.entries(agents)).find(([text]) => prompt.includes(text))
  return ofAgent?.[1] ?? tasks.find(({ instruction }) => prompt.includes(instruction))?.script
}

function play(script: Script, conversation: Conversation, ignoresResults: boolean): Answer {
  const turn = script(conversation)
  let step = turn.next()
  for (const results of conversation.rounds) {
    if (step.done === true) break
    step = turn.next(ignoresResults ? results.map(() => nothing) : results)
  }
  if (step.done === true) return { blocks: [{ text: step.value }] }
  return "blocks" in step.value ? step.value : { blocks: withIds(step.value, conversation.rounds.length) }
}

/** A model uses the fields that it is offered: other agents have another edit. */
function spokenFor(body: Received["body"], block: Block): Block {
  if (!("tool" in block) || block.tool !== "edit" || !isJsonObject(block.input)) return block
  if (JSON.stringify(body["tools"]).includes('"old_string"')) return block
  const { path, old_string: oldText = "", new_string: newText = "" } = block.input
  return { ...block, input: { path: path ?? "", edits: [{ oldText, newText }] } }
}

/** Ids of calls must differ within a conversation. */
function withIds(blocks: readonly Block[], round: number): Block[] {
  return blocks.map((block, n) => ("tool" in block ? { id: `toolu_${round}_${n}`, ...block } : block))
}

const nothing: Result = { text: "", isError: false, images: [] }

/** In the order in which a provider caches: tools, system text, messages. Marks of cache points move and do not count. */
function cachedText({ tools, system, messages }: Received["body"]): string {
  return JSON.stringify([tools, system, messages], (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  )
}

/** An estimate; what an earlier request began with in the same way counts as read from the cache. */
function usageOf(text: string, earlier: readonly string[]): ScriptedUsage {
  const cacheRead = tokensOf(text.slice(0, Math.max(0, ...earlier.map((other) => commonPrefix(text, other)))))
  return { input: tokensOf(text), cacheRead: cacheRead >= smallestCached ? cacheRead : 0, output: 0 }
}

/** Providers keep no shorter prefix. */
const smallestCached = 1024

function commonPrefix(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let n = 0; n < length; n++) if (a[n] !== b[n]) return n
  return length
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 3.5)
}
