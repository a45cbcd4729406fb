// The phrases that the demo understands, and nothing else. Words in capitals are filled in by the user.
// docs/offline-model.md shows the same table; a test compares the two.
import type { JsonValue } from "../../../contract/values.ts"
import {
  askAgent,
  callTool,
  listFolder,
  readFile,
  reply,
  runCommand,
  startAgent,
  reportFieldFromFile,
  writeTextFile,
  type Job,
} from "./jobs.ts"

export interface Phrase {
  readonly templates: readonly string[]
  readonly description: string
  /** Changes nothing, so it is finished even if another message came in the meantime. */
  readonly readsOnly: boolean
  readonly jobs: (slots: Slots) => readonly Job[] | undefined
}

type Slots = Readonly<Record<string, string>>

const SLOTS: Slots = {
  FILE: String.raw`\S+?`,
  KEY: ".+?",
  TEXT: ".+?",
  COMMAND: "`[^`]+`",
  NUMBER: "two|three|four|five",
  TASK: String.raw`[\s\S]+?`,
  TOOL: String.raw`[\w.-]+`,
  JSON: String.raw`\{[\s\S]*\}`,
}
const NUMBERS = ["two", "three", "four", "five"]
/** Longer messages match no phrase. Bounds the time of matching. */
const MAX_LENGTH = 2000

export const PHRASES: readonly Phrase[] = [
  phrase(["look around", "what is in this folder"], "lists the folder (`ls`)", () => [listFolder()]),
  phrase(
    ["read FILE and tell me the KEY"],
    "reads the file and answers from it: a member of JSON by its name, else the lines with that word",
    ({ FILE = "", KEY = "" }) => [reportFieldFromFile(FILE, KEY)],
  ),
  phrase(["read FILE"], "reads the file and shows its first lines (`read`)", ({ FILE = "" }) => [readFile(FILE)]),
  action(
    ["write TEXT to FILE"],
    "writes the file (`write`); one that exists is read first",
    ({ TEXT = "", FILE = "" }) => [writeTextFile(FILE, TEXT)],
  ),
  action(["run COMMAND"], "runs the command between the backticks (`bash`)", ({ COMMAND = "" }) => [
    runCommand(COMMAND.slice(1, -1)),
  ]),
  action(
    ["call TOOL with JSON"],
    "calls any tool that is offered, with that input",
    ({ TOOL = "", JSON: text = "" }) => {
      const input = parsedJson(text)
      return input === undefined ? undefined : [callTool(TOOL, input)]
    },
  ),
  action(
    ["ask an agent to TASK"],
    "gives the task to an agent and waits for its answer (`subagent`)",
    ({ TASK = "" }) => [askAgent(TASK)],
  ),
  action(
    ["ask NUMBER agents to TASK"],
    "starts two to five agents with the task, then collects their answers (`subagent_start`, `subagent_collect`)",
    ({ NUMBER = "", TASK = "" }) =>
      Array.from({ length: NUMBERS.indexOf(NUMBER.toLowerCase()) + 2 }, () => startAgent(TASK)),
  ),
]

const patterns = PHRASES.flatMap(({ templates, ...rest }) =>
  templates.map((text) => ({ ...rest, pattern: patternOf(text) })),
)

export interface ParsedRequest {
  readonly jobs: readonly Job[]
  readonly readsOnly: boolean
}

export function parseRequest(message: string): ParsedRequest | undefined {
  const text = message.trim()
  if (text.length > MAX_LENGTH) return undefined
  for (const { pattern, jobs, readsOnly } of patterns) {
    const found = pattern.exec(text)
    const matchedJobs = found === null ? undefined : jobs(found.groups ?? {})
    if (matchedJobs !== undefined) return { jobs: matchedJobs, readsOnly }
  }
  return undefined
}

export function isGreeting(message: string): boolean {
  return /^(?:|help|hi|hello|what can you do)[.!?]?$/i.test(message.trim())
}

export function help(): Job {
  return reply(`This is what I can do: ${phraseList()}`)
}

export function notUnderstood(message: string): Job {
  const line = message.replaceAll(/\s+/g, " ").trim()
  const short = line.length > 120 ? `${line.slice(0, 117)}…` : line
  return reply(`I did not understand "${short}"; I follow fixed rules. I can do this: ${phraseList()}`)
}

function phraseList(): string {
  const texts = PHRASES.flatMap(({ templates }) => templates).map((text) => `\`${text}\``)
  return `${texts.join(", ")} and \`summarise this conversation\`. For example: \`read package.json and tell me the name\`.`
}

function phrase(templates: readonly string[], description: string, jobs: Phrase["jobs"]): Phrase {
  return { templates, description, jobs, readsOnly: true }
}

function action(templates: readonly string[], description: string, jobs: Phrase["jobs"]): Phrase {
  return { templates, description, jobs, readsOnly: false }
}

function patternOf(template: string): RegExp {
  const source = template.replaceAll(/[A-Z]{2,}/g, (slot) => `(?<${slot}>${SLOTS[slot] ?? ""})`)
  return new RegExp(`^${source}[.!?]?$`, "i")
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
