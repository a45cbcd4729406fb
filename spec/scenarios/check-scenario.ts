// Checks the format of a scenario. A problem is one sentence that names the step; unknown fields are errors, so that a
// misspelt expectation is not ignored.
import { isJson, isJsonObject, type JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { scriptProblem } from "../../src/models/offline/script/check-script.ts"
import { doorNames, type FrameScenario, type Scenario } from "./scenario.ts"

type Problem = string | undefined
type Check = (value: JsonValue) => Problem
type Members = Readonly<Record<string, Check>>

/** The verb of a step, and what may stand beside it. */
type Verbs = Readonly<Record<string, { readonly is: Check; readonly may?: Members; readonly must?: readonly string[] }>>

const anything: Check = () => undefined
const text: Check = (value) => (typeof value === "string" ? undefined : "must be a text")
const name: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "must be a text, not empty")
const booleanCheck: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false")
const onlyTrue: Check = (value) => (value === true ? undefined : "must be true")
const count: Check = (value) => (Number.isInteger(value) ? undefined : "must be a whole number")
const object: Check = (value) => (isJsonObject(value) ? undefined : "must be an object")
const list: Check = (value) => (Array.isArray(value) ? undefined : "must be a list")
const textOrNull: Check = (value) => (value === null ? undefined : text(value))
const how = oneOf("kill", "leave")
const isNoDoor = oneOf(...doorNames)
const doors = listOf(isNoDoor)

const inPlace: Verbs = {
  write: { is: name, may: { text } },
  file: { is: name, may: { holds: textOrNull }, must: ["holds"] },
  restart: { is: how },
}
const observed: Verbs = {
  call: { is: name, may: { input: anything } },
  result: { is: name, may: { says: anything, failed: booleanCheck } },
  approval: { is: name },
  end: { is: oneOf("done", "cancelled", "failed", "step-limit") },
}
const sessionVerbs: Verbs = {
  ...inPlace,
  ...observed,
  prompt: { is: text, may: { is: oneOf("taken", "waits", "refused"), model: name, skill: name, image: name } },
  text: { is: name },
  reasoning: { is: name },
  together: { is: listOf(listOf((step) => stepProblem(step, observed))) },
  answer: { is: oneOf("yes", "no"), may: { is: oneOf("taken", "refused") } },
  cancel: { is: onlyTrue },
  reconnect: { is: onlyTrue },
  history: { is: list },
  stored: { is: object, may: { times: count } },
}
const frames: Verbs = {
  ...inPlace,
  send: { is: anything },
  expect: { is: object },
  many: { is: object, may: { joined: recordOf(text) }, must: ["joined"] },
  all: { is: listOf(object) },
  connect: { is: name },
  close: { is: onlyTrue },
  closed: { is: anything },
}

const about: Members = {
  title: name,
  model: script,
  models: recordOf(script),
  tools: recordOf(name),
  config: object,
  files: recordOf((value) => (typeof value === "string" ? undefined : members(value, { base64: text }, ["base64"]))),
}
const inWords: Members = {
  ...about,
  cannot: recordOf(name, doorNames),
  steps: listOf((step) => stepProblem(step, sessionVerbs, { on: doors })),
}
const inFrames: Members = {
  ...about,
  door: isNoDoor,
  steps: listOf((step) => stepProblem(step, frames, { to: name })),
}

export function scenarioProblem(value: JsonValue): Problem {
  if (!isJsonObject(value)) return "must be an object"
  const { door, steps } = value
  if (door !== undefined && isNoDoor(door) !== undefined) return `"door" ${isNoDoor(door)}`
  const problem = members(value, door === undefined ? inWords : inFrames, ["title", "model", "steps"])
  if (problem !== undefined || !Array.isArray(steps)) return problem
  if (steps.length === 0) return `"steps" is empty`
  return door === undefined ? turnEndProblem(steps.filter(isJsonObject), Object.keys(value["cannot"] ?? {})) : undefined
}

/** A turn whose end no step expects would continue after the last step, unchecked. */
function turnEndProblem(steps: readonly JsonObject[], cannot: readonly string[]): Problem {
  for (const door of doorNames.filter((one) => !cannot.includes(one))) {
    const played = steps.filter(({ on }) => !Array.isArray(on) || on.includes(door))
    if (played.length === 0) return `"steps" has none for ${door}; "cannot" may say why`
    const turns = played.filter((step) => "prompt" in step && step["is"] !== "refused").length
    const ends = played.flatMap(({ together, ...step }) => [step, ...stepsIn(together)]).filter((step) => "end" in step)
    if (turns !== ends.length) return `"steps" has ${turns} turns and ${ends.length} ends for ${door}`
  }
  return undefined
}

function stepsIn(lists: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(lists) ? lists.flat().filter(isJsonObject) : []
}

export function isScenario(value: unknown): value is Scenario {
  return isJson(value) && scenarioProblem(value) === undefined
}

export function isFrameScenario(scenario: Scenario): scenario is FrameScenario {
  return scenario.door !== undefined
}

function stepProblem(step: JsonValue, verbs: Verbs, always: Members = {}): Problem {
  if (!isJsonObject(step)) return "must be an object"
  const verb = Object.keys(step).find((member) => Object.hasOwn(verbs, member) && !beside(step, verbs, member))
  const known = verb === undefined ? undefined : verbs[verb]
  if (verb === undefined || known === undefined) return `must have one of ${Object.keys(verbs).join(", ")}`
  return members(step, { ...always, ...known.may, [verb]: known.is }, [verb, ...(known.must ?? [])])
}

/** `text` beside `write` is the content, not an expected text. */
function beside(step: JsonObject, verbs: Verbs, member: string): boolean {
  return Object.keys(step).some((other) => other !== member && Object.hasOwn(verbs[other]?.may ?? {}, member))
}

function members(value: JsonValue, checks: Members, required: readonly string[]): Problem {
  if (!isJsonObject(value)) return "must be an object"
  const missing = required.find((member) => !Object.hasOwn(value, member))
  if (missing !== undefined) return `needs "${missing}"`
  for (const [member, inner] of Object.entries(value)) {
    const check = Object.hasOwn(checks, member) ? checks[member] : undefined
    if (check === undefined) return `has an unknown member "${member}"; known are ${Object.keys(checks).join(", ")}`
    const problem = check(inner ?? null)
    if (problem !== undefined) return `"${member}" ${problem}`
  }
  return undefined
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return "must be a list"
    const problems = value.map((item: JsonValue, index) => [index + 1, check(item)] as const)
    const first = problems.find(([, problem]) => problem !== undefined)
    return first === undefined ? undefined : `number ${first[0]} ${first[1]}`
  }
}

function recordOf(check: Check, names?: readonly string[]): Check {
  return (value) => {
    if (!isJsonObject(value)) return "must be an object"
    const checks = Object.fromEntries((names ?? Object.keys(value)).map((member) => [member, check]))
    return members(value, checks, [])
  }
}

function oneOf(...names: readonly string[]): Check {
  return (value) => (names.some((one) => one === value) ? undefined : `must be one of ${names.join(", ")}`)
}

function script(steps: JsonValue): Problem {
  const problem = scriptProblem({ steps })
  return problem && `is no script of a model: ${problem}`
}
