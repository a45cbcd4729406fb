// Text that was shown is not lost when the host that printed it dies.
import { describe, expect, it } from "vitest"
import { eventually } from "./eventually.ts"
import { expectIdle, expectValid, assistantTexts } from "./history.ts"
import { isObject } from "../../src/contract/json-object.ts"
import { json, object } from "./printed.ts"
import type { Line } from "./running.ts"
import { newPlace } from "./turnhouse.ts"

const part = (name: string) => Array.from({ length: 20 }, (_, index) => `${name}${index} `).join("")
const [first, second, third] = [part("first"), part("second"), part("third").trimEnd()]
const words = `${first}${second}${third}`

describe.concurrent("a host that is killed while its model streams", () => {
  it("keeps what was stored, and the answer is continued without a gap or an echo", async (test) => {
    const place = newPlace(test)
    const [go, end] = [{ untilFile: place.path("go") }, { untilFile: place.path("end") }]
    const model = place.script([[{ text: first }, go, { text: second }, end, { text: third }]])
    const running = place.start(["run", "speak", "--json", "--model", model])
    await running.until("the first part", () => deltasIn(running.lines)[19])
    const id = await place.newest()
    const stored = await eventually("text of it is stored", async () => streamedIn(await place.log(id)) || undefined)
    place.write("go", "")
    await running.until("more", () => deltasIn(running.lines)[25])
    running.signal("SIGKILL")
    await running.ended
    place.write("end", "")

    const log = await place.log(id)
    expect(streamedIn(log).startsWith(stored)).toBe(true)
    expect(words.startsWith(streamedIn(log))).toBe(true)
    expect((await place.run("log", id)).stdout).toContain("streamed, not ended")
    expect((await place.run("ls")).stdout).toContain("busy, left open")

    const resumed = await place.run("run", "--session", id)
    expect(resumed.code).toBe(0)
    const whole = await place.log(id)
    expectValid(whole)
    expectIdle(whole)
    expect(assistantTexts(whole)).toEqual([words])
    expect(streamedIn(whole)).toBe("")
  })

  it("shows the stored part to the client that resumes", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "The first half" }, { hang: true }, { text: " and the rest." }]])
    const running = place.start(["run", "speak", "--model", model])
    await running.prints("The first half")
    const id = await place.newest()
    await eventually("the text is checkpointed", async () => streamedIn(await place.log(id)) || undefined)
    running.signal("SIGKILL")
    await running.ended
    const resumed = await place.run("run", "--continue")
    expect(resumed.code).toBe(0)
    expect(resumed.stdout.replaceAll("\n", "")).toBe("The first half and the rest.")
  })
})

function deltasIn(lines: readonly Line[]): readonly string[] {
  return lines.flatMap(({ text }) => {
    const value = json(text)
    return isObject(value) && value["type"] === "text.delta" ? [String(value["delta"])] : []
  })
}

/** Text that is stored and not a fact yet. */
function streamedIn(log: string): string {
  const lines = log.split("\n").filter((line) => line.includes('"type":"text.streamed"'))
  return lines.map((line) => String(object(line)["text"])).join("")
}
