// A task of the agent benchmark: a small repository, an instruction, a check that runs afterwards, and a script that plays
// the model where no real one is configured.
import type { JsonValue } from "../../src/contract/values.ts"
import type { Answer, Block } from "../../spec/provider-server/script.ts"

export interface Task {
  readonly name: string
  /** What the task measures, for the report. */
  readonly measures: string
  readonly instruction: string
  /** The repository. `word` is new in every run, so that a script has to find it in a tool result. */
  readonly files: (word: string) => Readonly<Record<string, string | Uint8Array>>
  /** Shell commands that prepare the repository after its first commit. */
  readonly setup?: readonly string[]
  /** The user has trusted the folder. */
  readonly isTrusted?: boolean
  /** A module that fails when the task is not solved; it runs in the repository and is not there before. */
  readonly check: (word: string) => string
  readonly script: Script
  /** Scripts of sub-agents, by a text in their task. */
  readonly agents?: Readonly<Record<string, Script>>
}

/** Yields answers with tool calls, gets their results, returns the last answer. It must depend on nothing else. */
export type Script = (request: RequestText) => Generator<ScriptStep, string, readonly Result[]>

export type ScriptStep = readonly Block[] | Pick<Answer, "blocks" | "finish">

/** What the model gets besides tool results. */
export interface RequestText {
  readonly system: string
  readonly prompt: string
  readonly tools: readonly string[]
}

export interface Result {
  readonly text: string
  readonly isError: boolean
  readonly images: readonly Uint8Array[]
}

export function call(tool: string, input: JsonValue): Block {
  return { tool, input }
}

/** The first group of the pattern; empty if it does not occur, so that a script goes on and fails its check. */
export function found(result: Result | undefined, pattern: RegExp): string {
  return pattern.exec(result?.text ?? "")?.[1] ?? ""
}

/** One call; for scripts that look at one result at a time. */
export function* use(tool: string, input: JsonValue): Generator<readonly Block[], Result, readonly Result[]> {
  const [result] = yield [call(tool, input)]
  return result ?? { text: "", isError: true, images: [] }
}

/** What a check starts with. */
export const checkHead = [
  `import assert from "node:assert/strict"`,
  `import { readFileSync, existsSync } from "node:fs"`,
  `import { execFileSync } from "node:child_process"`,
  `const read = (path) => readFileSync(path, "utf8")`,
].join("\n")
