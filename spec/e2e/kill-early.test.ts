// The host is killed while it starts: before there is a session, and while its home is being created.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { eventually } from "./eventually.ts"
import { expectValid } from "./history.ts"
import { object, eventsOf } from "./printed.ts"
import { idOf, newPlace, type Place } from "./turnhouse.ts"

const prompt = "go"

interface Home {
  readonly answer: string
  readonly damage: unknown
  /** What the sessions hold, those that were killed before their prompt was stored left out. */
  readonly prompts: ReadonlySet<string>
}

async function homeAfterwards(place: Place, model: string): Promise<Home> {
  const { stdout: answer } = await place.run("run", prompt, "--model", model)
  const { damage } = object((await place.run("verify", "--json")).stdout)
  const prompts = new Set<string>()
  for (const session of await place.sessions()) {
    const log = await place.log(idOf(session))
    expectValid(log)
    const texts = eventsOf(log, "prompt.admitted").map(({ text }) => text)
    prompts.add(`${String(session["turns"])} turns: ${texts.join()}`)
  }
  return { answer, damage, prompts: prompts.difference(new Set(["0 turns: "])) }
}

const good: Home = { answer: "Here.\n", damage: [], prompts: new Set([`1 turns: ${prompt}`]) }

describe.concurrent("killed as soon as there is", () => {
  it.for(["turnhouse.db", "turnhouse.db-wal", "turnhouse.db-shm", "secret.key"])(
    "the file %s, it leaves a home that works",
    async (file, test) => {
      const place = newPlace(test)
      const model = place.script([[{ text: "Here." }]])
      const running = place.start(["run", prompt, "--model", model])
      await eventually(`${file} is there`, () => existsSync(join(place.home, file)) || undefined, 0)
      running.signal("SIGKILL")
      await running.ended
      expect(await homeAfterwards(place, model)).toEqual(good)
    },
  )
})

describe.concurrent("killed at any moment of its start", () => {
  it.for([0, 60, 120, 180, 240, 300])("(%i ms), it leaves a home that works", async (ms, test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "Here." }]])
    const running = place.start(["run", prompt, "--model", model])
    await sleep(ms) // any instant will do; what holds afterwards does not depend on it
    running.signal("SIGKILL")
    await running.ended
    expect(await homeAfterwards(place, model)).toEqual(good)
  })
})
