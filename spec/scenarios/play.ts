// Plays one scenario on one door, with a home and a process of its own, and says what became of it.
import { isJsonObject, type JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Step as ModelStep } from "../../src/models/offline/script/script.ts"
import { Place } from "../e2e/place.ts"
import { isInFrames } from "./check-scenario.ts"
import { failedAt, type Failed } from "./failure.ts"
import { FrameReader } from "./frame-reader.ts"
import { arrive } from "./clients/index.ts"
import { fillObject } from "./matching.ts"
import { FramePlayer } from "./play-frames.ts"
import { playWord, settleWords } from "./play-session.ts"
import { doorNames, type DoorName, type FrameScenario, type Scenario, type WordScenario } from "./scenario.ts"
import { worldOf } from "./worlds/index.ts"
import type { World } from "./worlds/world.ts"

export type Verdict =
  | { readonly kind: "passed"; readonly steps: number }
  | { readonly kind: "failed"; readonly failed: Failed }
  /** This door cannot carry it; one sentence says why. */
  | { readonly kind: "cannot"; readonly why: string }

/** Told before each step is played. */
export type Progress = (step: number, of: number, text: string) => void

export async function play(scenario: Scenario, door: DoorName, progress: Progress = () => {}): Promise<Verdict> {
  const why = whyNot(scenario, door)
  if (why !== undefined) return { kind: "cannot", why }
  const place = new Place().open()
  const world = worldOf(door, place)
  try {
    return await new Performance(scenario, door, world, progress).run()
  } finally {
    await world.close()
    await place.close()
  }
}

export function whyNot(scenario: Scenario, door: DoorName): string | undefined {
  if (!isInFrames(scenario)) return scenario.cannot?.[door]
  return scenario.door === door ? undefined : `It is written in frames of ${scenario.door}.`
}

/** Those that a scenario is about. */
export function doorsOf(scenario: Scenario): readonly DoorName[] {
  return isInFrames(scenario) ? [scenario.door] : doorNames
}

class Performance {
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
      await (isInFrames(this.#scenario) ? this.#frames(this.#scenario, names) : this.#words(this.#scenario, names))
      return { kind: "passed", steps: steps.length }
    } catch (error) {
      return { kind: "failed", failed: failedAt(error, this.#step, steps, this.#journal) }
    }
  }

  async #words(scenario: WordScenario, names: ReadonlyMap<string, string>): Promise<void> {
    const guest = await arrive(this.#door, () => this.#connect(""), this.#world.place.folder)
    const stage = { guest, world: this.#world, names }
    for (const step of this.#inOrder(scenario.steps)) {
      if (step.on?.includes(this.#door) !== false) await playWord(step, stage)
    }
    await settleWords(stage)
  }

  async #frames(scenario: FrameScenario, names: ReadonlyMap<string, string>): Promise<void> {
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

/** Puts files, models and configuration where the process will look, and gives the names of what steps may speak of. */
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
