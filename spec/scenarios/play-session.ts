// Plays a scenario in words: what a guest does, and what the session is expected to tell, in order. What comes and is
// not expected fails the step that waits.
import type { JsonValue } from "../../src/contract/values.ts"
import { Unexpected } from "./failure.ts"
import { happeningText, type Guest, type Happening } from "./clients/client.ts"
import { fit } from "./matching.ts"
import { playInPlace, storedEvents } from "./play-workspace.ts"
import type { PromptStep, RestartHow, ToldStep, WordStep } from "./scenario.ts"
import type { World } from "./worlds/world.ts"

export interface Stage {
  readonly guest: Guest
  readonly world: World
  /** The names of the scenario: its folder and its models. */
  readonly names: ReadonlyMap<string, string>
}

export async function playWord(step: WordStep, stage: Stage): Promise<void> {
  const { guest, world } = stage
  if ("prompt" in step) return prompt(step, stage)
  if ("write" in step || "file" in step) return playInPlace(step, world.place)
  if ("text" in step) return words("text", step.text, guest)
  if ("reasoning" in step) return words("reasoning", step.reasoning, guest)
  if ("together" in step) return together(step.together, guest)
  if ("answer" in step) return became(step.is ?? "taken", await guest.answer(step.answer === "yes"), "the answer")
  if ("cancel" in step) return guest.cancel()
  if ("reconnect" in step) return reconnect(guest)
  if ("restart" in step) return restart(step.restart, stage)
  if ("history" in step) return same("the conversation", [...step.history], [...(await guest.history())])
  if ("stored" in step) return stored(step.stored, step.times ?? 1, stage)
  return one(step, guest)
}

/** Nothing may be left that no step has asked for. */
export async function settleWords({ guest }: Stage): Promise<void> {
  const [first] = await guest.settle()
  if (first !== undefined) throw new Unexpected("nothing more", happeningText(first))
}

async function prompt(step: PromptStep, { guest, world, names }: Stage): Promise<void> {
  const model = step.model === undefined ? undefined : names.get(step.model)
  if (model === undefined && step.model !== undefined) throw new Error(`there is no model "${step.model}" in "models"`)
  const image = step.image === undefined ? undefined : world.place.path(step.image)
  became(step.is ?? "taken", await guest.prompt(step, { model, image }), "the prompt")
}

/** In however many pieces they come. */
async function words(kind: "text" | "reasoning", wanted: string, guest: Guest): Promise<void> {
  const expected = happeningText({ kind, text: wanted })
  for (let left = wanted; left !== "";) {
    const happening = await guest.next(expected)
    const piece = happening.kind === kind ? happening.text : undefined
    if (piece === undefined || !goOnAlike(piece, left)) {
      throw new Unexpected(`${expected}; missing yet: ${JSON.stringify(left)}`, happeningText(happening))
    }
    if (piece.length > left.length) guest.putBack({ kind, text: piece.slice(left.length) })
    left = left.slice(piece.length)
  }
}

function goOnAlike(piece: string, left: string): boolean {
  return piece.startsWith(left) || left.startsWith(piece)
}

async function one(step: ToldStep, guest: Guest): Promise<void> {
  const happening = await guest.next(toldText(step))
  if (!isTold(step, happening)) throw new Unexpected(toldText(step), happeningText(happening))
}

/** Each list in its own order; which of them goes on is left open. */
async function together(lists: readonly (readonly ToldStep[])[], guest: Guest): Promise<void> {
  const left = lists.map((list) => [...list])
  for (;;) {
    const heads = left.flatMap(([head]) => (head === undefined ? [] : [head]))
    if (heads.length === 0) return
    const expected = heads.map(toldText).join(", or ")
    const happening = await guest.next(expected)
    const found = left.find(([head]) => head !== undefined && isTold(head, happening))
    if (found === undefined) throw new Unexpected(expected, happeningText(happening))
    found.shift()
  }
}

async function reconnect(guest: Guest): Promise<void> {
  await guest.leave()
  await guest.comeBack()
}

async function restart(how: RestartHow, { guest, world }: Stage): Promise<void> {
  await world.restart(how)
  await guest.comeBack()
}

async function stored(wanted: JsonValue, times: number, { guest, world, names }: Stage): Promise<void> {
  const events = await storedEvents(world.place, guest.sessionId)
  const found = events.filter((event) => fit(wanted, event, names).kind === "fits").length
  if (found === times) return
  throw new Unexpected(
    `${times} events like ${JSON.stringify(wanted)} in the log`,
    `${found}; the log has:\n${listed(events)}`,
  )
}

function listed(events: readonly JsonValue[]): string {
  return events.map((event) => `    ${JSON.stringify(event)}`).join("\n")
}

function isTold(step: ToldStep, happening: Happening): boolean {
  if ("call" in step) {
    return happening.kind === "call" && happening.tool === step.call && fits(step.input, happening.input)
  }
  if ("result" in step) {
    const isSame = happening.kind === "result" && happening.tool === step.result && fits(step.says, happening.text)
    return isSame && (happening.failed === undefined || happening.failed === (step.failed ?? false))
  }
  if ("approval" in step) return happening.kind === "approval" && happening.tool === step.approval
  return happening.kind === "end" && happening.how === step.end
}

function toldText(step: ToldStep): string {
  if ("call" in step)
    return `a call of ${step.call}${step.input === undefined ? "" : ` with ${JSON.stringify(step.input)}`}`
  if ("result" in step) {
    const says = step.says === undefined ? "" : `: ${JSON.stringify(step.says)}`
    return `a result of ${step.result}${step.failed === true ? ", which failed" : ""}${says}`
  }
  if ("approval" in step) return `the question whether ${step.approval} may run`
  return `the end of the turn: ${step.end}`
}

function fits(expected: JsonValue | undefined, came: JsonValue): boolean {
  return expected === undefined || fit(expected, came, new Map()).kind === "fits"
}

function became(expected: string, came: string, what: string): void {
  if (expected !== came) throw new Unexpected(`that ${what} is ${expected}`, `it is ${came}`)
}

function same(what: string, expected: JsonValue, came: JsonValue): void {
  const compared = fit(expected, came, new Map(), what)
  if (compared.kind === "fits") return
  throw new Unexpected(`${compared.where}: ${compared.expected}`, `${compared.came}, in ${JSON.stringify(came)}`)
}
