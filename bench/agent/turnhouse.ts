// Runs a task with the program of this checkout: `turnhouse run --json` in the repository of the task.
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { memberIn, tryParseJson } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"

export interface Outcome {
  readonly steps: number
  readonly tools: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly cacheRead: number
  readonly costUsd: number
  readonly exitCode: number | null
  readonly errors: string
}

export interface Agent {
  /** Adds the folder to those whose settings and instructions are used. */
  trust(folder: string): Promise<void>
  run(folder: string, instruction: string): Promise<Outcome>
  close(): void
}

const program = fileURLToPath(new URL("../../bin/turnhouse", import.meta.url))
/** Homes are new in every run; the compiled program need not be. */
const compileCache = fileURLToPath(new URL("../../node_modules/.cache/turnhouse-bench", import.meta.url))
export const scriptedModel = "anthropic/claude-sonnet-5"

/** With a home of its own whose model is the scripted one. */
export function scriptedAgent(serverUrl: string): Agent {
  const root = mkdtempSync(join(tmpdir(), "turnhouse-bench-"))
  const home = join(root, "home")
  mkdirSync(home, { mode: 0o700 })
  mkdirSync(compileCache, { recursive: true })
  symlinkSync(compileCache, join(home, "cache"))
  const anthropic = { type: "anthropic", baseURL: `${serverUrl}/v1`, apiKey: "scripted" }
  writeFileSync(join(home, "config.json"), JSON.stringify({ model: scriptedModel, providers: { anthropic } }))
  const env = { PATH: process.env["PATH"], HOME: root, TURNHOUSE_HOME: home }
  return { ...agentWith(env, []), close: () => rmSync(root, { recursive: true, force: true }) }
}

/** With the user's home, configuration and keys. */
export function configuredAgent(model: string): Agent {
  return { ...agentWith(process.env, ["--model", model]), close() {} }
}

function agentWith(env: NodeJS.ProcessEnv, options: readonly string[]): Omit<Agent, "close"> {
  return {
    async trust(folder) {
      const { code, errors } = await printed(["trust", folder], folder, env)
      if (code !== 0) throw new Error(`turnhouse trust failed: ${errors}`)
    },
    async run(folder, instruction) {
      const { code, lines, errors } = await printed(["run", "--json", "--yes", ...options, instruction], folder, env)
      return { ...totalOf(lines), exitCode: code, errors }
    },
  }
}

interface Printed {
  readonly code: number | null
  readonly lines: readonly JsonValue[]
  readonly errors: string
}

function printed(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Printed> {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  let errors = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, lines: output.split("\n").flatMap(jsonIn), errors }))
  })
}

function jsonIn(line: string): JsonValue[] {
  const value = tryParseJson(line)
  return value === undefined ? [] : [value]
}

function totalOf(events: readonly JsonValue[]): Omit<Outcome, "exitCode" | "errors"> {
  const responses = events.filter((event) => memberIn(event, "type") === "response.ended")
  const total = (name: string) => responses.reduce<number>((sum, event) => sum + numberIn(usageIn(event), name), 0)
  return {
    steps: responses.length,
    tools: events.filter((event) => memberIn(event, "type") === "tool.called").length,
    tokensIn: total("input"),
    tokensOut: total("output"),
    cacheRead: total("cacheRead"),
    costUsd: responses.reduce<number>((sum, event) => sum + numberIn(event, "costUsd"), 0),
  }
}

function usageIn(event: JsonValue): JsonValue | undefined {
  return memberIn(event, "usage")
}

function numberIn(value: JsonValue | undefined, name: string): number {
  const member = memberIn(value, name)
  return typeof member === "number" ? member : 0
}
