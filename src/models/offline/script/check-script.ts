// Validates a script file. Every error names the step, the part and what was expected. Unknown fields are errors, so
// that a misspelt part is noticed.
import { isObject } from "../../../contract/json-object.ts"
import { finishNames, type Script } from "../part.ts"

/** What is wrong, or undefined. */
export type Problem = string | undefined

type Check = (value: unknown) => Problem

const settings: Readonly<Record<string, Check>> = {
  steps: (value) => (Array.isArray(value) ? undefined : "must be a list of steps"),
  summary: text,
  delayMs: amount,
  contextWindow: amount,
  maxOutput: amount,
  pricePerMillion: (value) =>
    value === null ? undefined : members(value, { input: amount, output: amount }, ["input", "output"]),
}

const partChecks: Readonly<Record<string, Check>> = {
  text,
  chunks: (value) => (Array.isArray(value) && value.every(isText) ? undefined : "must be a list of strings"),
  reasoning: text,
  call,
  delayMs: amount,
  untilFile: text,
  error: (value) => members(value, { message: text, status: amount, retryAfter: amount, inStream: truth }, ["message"]),
  cut: onlyTrue,
  hang: onlyTrue,
  finish: (value) =>
    finishNames.some((name) => name === value) ? undefined : `must be one of ${finishNames.join(", ")}`,
  usage: (value) =>
    members(value, { input: amount, output: amount, cacheRead: amount, cacheWrite: amount, reasoning: amount }, []),
  expect: (value) => members(value, { lastUserText: text, toolResult: text }, []),
}
const partNames = Object.keys(partChecks).join(", ")

export function scriptProblem(value: unknown): Problem {
  if (!isObject(value)) return `a script is a list of steps, or an object with "steps"`
  return members(value, settings, ["steps"]) ?? stepsProblem(value["steps"])
}

export function isScript(value: unknown): value is Script {
  return scriptProblem(value) === undefined
}

function stepsProblem(steps: unknown): Problem {
  return firstProblem(Array.isArray(steps) ? steps : [], "step", stepProblem)
}

function stepProblem(step: unknown): Problem {
  if (Array.isArray(step)) return firstProblem(step, "part", partProblem)
  if (!isObject(step)) return `must be a list of parts, or an object with "attempts"`
  const attempts = step["attempts"]
  const isListOfLists =
    Array.isArray(attempts) && attempts.length > 0 && attempts.every((attempt) => Array.isArray(attempt))
  return (
    members(step, { attempts: () => (isListOfLists ? undefined : "must be a list of lists of parts") }, ["attempts"]) ??
    firstProblem(isListOfLists ? attempts : [], "attempt", stepProblem)
  )
}

function partProblem(part: unknown): Problem {
  if (!isObject(part)) return `must be an object such as {"text": "…"}`
  const names = Object.keys(part)
  const name = names.find((candidate) => !Object.hasOwn(partChecks, candidate)) ?? names[0]
  if (name === undefined) return `is empty; it must have one of ${partNames}`
  const check = Object.hasOwn(partChecks, name) ? partChecks[name] : undefined
  if (check === undefined) return `has an unknown member "${name}"; it must have one of ${partNames}`
  if (names.length > 1) return `has ${names.join(" and ")}; a part has only one of these`
  const problem = check(part[name])
  return problem && `${name} ${problem}`
}

function call(value: unknown): Problem {
  const problem = members(value, { tool: text, id: text, inputText: text, input: () => undefined }, ["tool"])
  if (problem !== undefined || !isObject(value)) return problem
  const inputs = ["input", "inputText"].filter((name) => Object.hasOwn(value, name))
  return inputs.length === 1 ? undefined : `must have either "input" or "inputText"`
}

function firstProblem(list: readonly unknown[], noun: string, check: Check): Problem {
  for (const [index, item] of list.entries()) {
    const problem = check(item)
    if (problem !== undefined)
      return `${noun} ${index + 1}${/^(?:part|attempt) \d/.test(problem) ? ", " : " "}${problem}`
  }
  return undefined
}

function members(value: unknown, checks: Readonly<Record<string, Check>>, required: readonly string[]): Problem {
  if (!isObject(value)) return "must be an object"
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `needs "${missing}"`
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) return `has an unknown member "${name}"; known are ${Object.keys(checks).join(", ")}`
    const problem = check(member)
    if (problem !== undefined) return `"${name}" ${problem}`
  }
  return undefined
}

function text(value: unknown): Problem {
  return isText(value) ? undefined : "must be a string"
}

function amount(value: unknown): Problem {
  return typeof value === "number" && value >= 0 ? undefined : "must be a number, zero or more"
}

function truth(value: unknown): Problem {
  return typeof value === "boolean" ? undefined : "must be true or false"
}

function onlyTrue(value: unknown): Problem {
  return value === true ? undefined : "must be true"
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}
