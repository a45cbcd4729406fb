// Plays one scenario on one door, with its own home and process.
import { isJsonObject, type JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Step as ModelStep } from "../../src/models/offline/part.ts"
import { Place } from "../e2e/place.ts"
import { isFrameScenario } from "./check-scenario.ts"
import { failedAt, type Failed } from "./failure.ts"
import { FrameReader } from "./frame-reader.ts"
import { connectClient } from "./clients/index.ts"
import { fillObject } from "./matching.ts"
import { FramePlayer } from "./play-frames.ts"
import { playSessionStep, expectNothingMore } from "./play-session.ts"
import { doorNames, type DoorName, type FrameScenario, type Scenario, type SessionScenario } from "./scenario.ts"
import { worldOf } from "./worlds/index.ts"
import type { World } from "./worlds/world.ts"

export type Verdict =
  | { readonly kind: "passed"; readonly steps: number }
  | { readonly kind: "failed"; readonly failed: Failed }
  /** The door does not support it. */
  | { readonly kind: "cannot"; readonly why: string }

/** Called before each step. */
export type Progress = (step: number, of: number, text: string) => void

export async function play(scenario: Scenario, door: DoorName, progress: Progress = () => {}): Promise<Verdict> {
  const why = unsupportedReason(scenario, door)
  if (why !== undefined) return { kind: "cannot", why }
  const place = new Place().open()
  const world = worldOf(door, place)
  try {
    return await new ScenarioRun(scenario, door, world, progress).run()
  } finally {
    await world.close()
    await place.close()
  }
}

export function unsupportedReason(scenario: Scenario, door: DoorName): string | undefined {
  if (!isFrameScenario(scenario)) return scenario.cannot?.[door]
  return scenario.door === door ? undefined : `Its frames are those of ${scenario.door}.`
}

/** The doors that a scenario is about. */
export function doorsOf(scenario: Scenario): readonly DoorName[] {
  return isFrameScenario(scenario) ? [scenario.door] : doorNames
}

class ScenarioRun {
  readonly #scenario: Scenario
  readonly #door: DoorName
  readonly #world: World
  readonly #progress: Progress
  readonly #journal: string[] = []
  #step = 0

  constructor(scenario: Scenario, door: DoorName, world: World, progress: Progress) {
    this.#scenario = scenario
    this.#door = door
    this.#world = world
    this.#progress = progress
  }

  async run(): Promise<Verdict> {
    const { steps } = this.#scenario
    try {
      const names = configureSession(this.#scenario, this.#world.place)
      await this.#world.start()
      await (isFrameScenario(this.#scenario)
        ? this.#playFrames(this.#scenario, names)
        : this.#playSession(this.#scenario, names))
      return { kind: "passed", steps: steps.length }
    } catch (error) {
      return { kind: "failed", failed: failedAt(error, this.#step, steps, this.#journal) }
    }
  }

  async #playSession(scenario: SessionScenario, names: ReadonlyMap<string, string>): Promise<void> {
    const client = await connectClient(this.#door, () => this.#connect(""), this.#world.place.folder)
    const context = { client, world: this.#world, names }
    for (const step of this.#inOrder(scenario.steps)) {
      if (step.on?.includes(this.#door) !== false) await playSessionStep(step, context)
    }
    await expectNothingMore(context)
  }

  async #playFrames(scenario: FrameScenario, names: ReadonlyMap<string, string>): Promise<void> {
    const player = new FramePlayer(this.#world, (name) => this.#connect(`${name} `), names)
    await player.begin()
    for (const step of this.#inOrder(scenario.steps)) await player.play(step)
    await player.settle(this.#door)
  }

  async #connect(name: string): Promise<FrameReader> {
    return new FrameReader(await this.#world.connect(), this.#journal, name)
  }

  *#inOrder<Step>(steps: readonly Step[]): Iterable<Step> {
    for (const step of steps) {
      this.#step += 1
      this.#progress(this.#step, steps.length, JSON.stringify(step))
      yield step
    }
  }
}

/** Writes files, models and configuration; returns the values of the scenario's names. */
function configureSession(scenario: Scenario, place: Place): ReadonlyMap<string, string> {
  const names = new Map([["folder", place.folder]])
  for (const [path, content] of Object.entries(scenario.files ?? {})) writeFile(place, path, content)
  for (const [name, steps] of Object.entries(scenario.models ?? {})) names.set(name, model(place, name, steps))
  const config = fillObject(scenario.config ?? {}, names)
  place.config({ model: model(place, "script", scenario.model), ...config, tools: toolsOf(scenario, config) })
  return names
}

function model(place: Place, name: string, steps: readonly ModelStep[]): string {
  return place.script(steps, {}, `${name}.model.json`)
}

function writeFile(place: Place, path: string, content: string | { readonly base64: string }): void {
  mkdirSync(dirname(place.path(path)), { recursive: true })
  writeFileSync(place.path(path), typeof content === "string" ? content : Buffer.from(content.base64, "base64"))
}

function toolsOf({ tools = {} }: Scenario, config: JsonObject): JsonValue {
  const define = Object.entries(tools).map(([name, line]) => [
    name,
    { description: name, input: { type: "object" }, class: "read", run: ["sh", "-c", line] },
  ])
  const given = config["tools"]
  return { ...(isJsonObject(given) ? given : {}), define: Object.fromEntries(define) }
}
