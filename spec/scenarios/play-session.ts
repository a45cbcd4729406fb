// Plays a session scenario: actions of a client, and the expected observations in order. An unexpected observation fails
// the step that waits.
import type { JsonValue } from "../../src/contract/values.ts"
import { Unexpected } from "./failure.ts"
import { describeObservation, type ScenarioClient, type Observation } from "./clients/client.ts"
import { fit } from "./matching.ts"
import { playWorkspaceStep, storedEvents } from "./play-workspace.ts"
import type { PromptStep, RestartHow, ObservedStep, SessionStep } from "./scenario.ts"
import type { World } from "./worlds/world.ts"

export interface PlayContext {
  readonly client: ScenarioClient
  readonly world: World
  /** Values of the scenario's names: its folder and its models. */
  readonly names: ReadonlyMap<string, string>
}

export async function playSessionStep(step: SessionStep, context: PlayContext): Promise<void> {
  const { client, world } = context
  if ("prompt" in step) return prompt(step, context)
  if ("write" in step || "file" in step) return playWorkspaceStep(step, world.place)
  if ("text" in step) return expectText("text", step.text, client)
  if ("reasoning" in step) return expectText("reasoning", step.reasoning, client)
  if ("together" in step) return together(step.together, client)
  if ("answer" in step)
    return expectOutcome(step.is ?? "taken", await client.answer(step.answer === "yes"), "the answer")
  if ("cancel" in step) return client.cancel()
  if ("reconnect" in step) return reconnect(client)
  if ("restart" in step) return restart(step.restart, context)
  if ("history" in step) return same("the conversation", [...step.history], [...(await client.history())])
  if ("stored" in step) return stored(step.stored, step.times ?? 1, context)
  return expectOne(step, client)
}

/** Fails if there is an observation that no step expects. */
export async function expectNothingMore({ client }: PlayContext): Promise<void> {
  const [first] = await client.settle()
  if (first !== undefined) throw new Unexpected("nothing more", describeObservation(first))
}

async function prompt(step: PromptStep, { client, world, names }: PlayContext): Promise<void> {
  const model = step.model === undefined ? undefined : names.get(step.model)
  if (model === undefined && step.model !== undefined) throw new Error(`no model named "${step.model}" in "models"`)
  const image = step.image === undefined ? undefined : world.place.path(step.image)
  expectOutcome(step.is ?? "taken", await client.prompt(step, { model, image }), "the prompt")
}

/** In any number of pieces. */
async function expectText(kind: "text" | "reasoning", text: string, client: ScenarioClient): Promise<void> {
  const expected = describeObservation({ kind, text })
  for (let left = text; left !== "";) {
    const observation = await client.next(expected)
    const piece = observation.kind === kind ? observation.text : undefined
    if (piece === undefined || !isPrefix(piece, left)) {
      throw new Unexpected(`${expected}; still missing: ${JSON.stringify(left)}`, describeObservation(observation))
    }
    if (piece.length > left.length) client.putBack({ kind, text: piece.slice(left.length) })
    left = left.slice(piece.length)
  }
}

function isPrefix(piece: string, left: string): boolean {
  return piece.startsWith(left) || left.startsWith(piece)
}

async function expectOne(step: ObservedStep, client: ScenarioClient): Promise<void> {
  const observation = await client.next(describeStep(step))
  if (!matchesStep(step, observation)) throw new Unexpected(describeStep(step), describeObservation(observation))
}

/** Each list keeps its order; they may interleave. */
async function together(lists: readonly (readonly ObservedStep[])[], client: ScenarioClient): Promise<void> {
  const left = lists.map((list) => [...list])
  for (;;) {
    const heads = left.flatMap(([head]) => (head === undefined ? [] : [head]))
    if (heads.length === 0) return
    const expected = heads.map(describeStep).join(", or ")
    const observation = await client.next(expected)
    const found = left.find(([head]) => head !== undefined && matchesStep(head, observation))
    if (found === undefined) throw new Unexpected(expected, describeObservation(observation))
    found.shift()
  }
}

async function reconnect(client: ScenarioClient): Promise<void> {
  await client.leave()
  await client.connect()
}

async function restart(how: RestartHow, { client, world }: PlayContext): Promise<void> {
  await world.restart(how)
  await client.connect()
}

async function stored(expected: JsonValue, times: number, { client, world, names }: PlayContext): Promise<void> {
  const events = await storedEvents(world.place, client.sessionId)
  const found = events.filter((event) => fit(expected, event, names).kind === "fits").length
  if (found === times) return
  throw new Unexpected(
    `${times} events like ${JSON.stringify(expected)} in the log`,
    `${found}; the log has:\n${listed(events)}`,
  )
}

function listed(events: readonly JsonValue[]): string {
  return events.map((event) => `    ${JSON.stringify(event)}`).join("\n")
}

function matchesStep(step: ObservedStep, observation: Observation): boolean {
  if ("call" in step) {
    return observation.kind === "call" && observation.tool === step.call && fits(step.input, observation.input)
  }
  if ("result" in step) {
    const isSame =
      observation.kind === "result" && observation.tool === step.result && fits(step.says, observation.text)
    return isSame && (observation.failed === undefined || observation.failed === (step.failed ?? false))
  }
  if ("approval" in step) return observation.kind === "approval" && observation.tool === step.approval
  return observation.kind === "end" && observation.how === step.end
}

function describeStep(step: ObservedStep): string {
  if ("call" in step)
    return `a call of ${step.call}${step.input === undefined ? "" : ` with ${JSON.stringify(step.input)}`}`
  if ("result" in step) {
    const says = step.says === undefined ? "" : `: ${JSON.stringify(step.says)}`
    return `a result of ${step.result}${step.failed === true ? ", which failed" : ""}${says}`
  }
  if ("approval" in step) return `an approval request for ${step.approval}`
  return `the end of the turn: ${step.end}`
}

function fits(expected: JsonValue | undefined, received: JsonValue): boolean {
  return expected === undefined || fit(expected, received, new Map()).kind === "fits"
}

function expectOutcome(expected: string, received: string, what: string): void {
  if (expected !== received) throw new Unexpected(`that ${what} is ${expected}`, `it is ${received}`)
}

function same(what: string, expected: JsonValue, received: JsonValue): void {
  const compared = fit(expected, received, new Map(), what)
  if (compared.kind === "fits") return
  throw new Unexpected(
    `${compared.where}: ${compared.expected}`,
    `${compared.received}, in ${JSON.stringify(received)}`,
  )
}
