import { describe, expect, it } from "vitest"
import type { TranscriptItem } from "../../projection/transcript.ts"
import { gate, type Part } from "../../testing/index.ts"
import { inOrder } from "../../testing/service-world.ts"
import { newSession, next, prompt, testHost, turn, you, type TestHost } from "../../testing/test-host.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { readEarlierTurns, readLatestTurns } from "./transcript-pages.ts"
import type { TranscriptPage } from "../../contract/views/transcript.ts"

const textPart = (text: string): Part => ({ text })

async function place(answers: readonly (readonly Part[])[]) {
  const tested = await testHost(inOrder(answers).models)
  return { ...tested, session: await newSession(tested.host) }
}

function textsIn(items: readonly TranscriptItem[]): readonly string[] {
  return items.flatMap((item) => (item.kind === "user" || item.kind === "assistant" ? [item.text] : []))
}

async function tailOf({ log }: TestHost, { id, state }: SessionActor, turns: number): Promise<TranscriptPage> {
  const read = await readLatestTurns(log, id, state, turns)
  if (read.kind === "refused") throw new Error(read.refusal.code)
  return read.value
}

/** Piece by piece back to the beginning, newest piece first. */
async function pieces(world: TestHost, session: SessionActor, turns: number): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = []
  for (let tail = await tailOf(world, session, turns); ;) {
    found.push(textsIn(tail.items))
    if (!tail.earlier) return found
    const read = await readEarlierTurns(world.log, session.id, tail.start, turns)
    if (read.kind === "refused") throw new Error(read.refusal.code)
    tail = read.value
  }
}

describe("pages of the transcript", () => {
  it("reach back to the start without gap or repeat", async () => {
    const world = await place(["A", "B", "C", "D", "E"].map((answer) => [textPart(answer)]))
    for (const text of ["a", "b", "c", "d", "e"]) await turn(world.session, text)
    const { session } = world
    expect(await pieces(world, session, 2)).toEqual([
      ["d", "D", "e", "E"],
      ["b", "B", "c", "C"],
      ["a", "A"],
    ])
    expect(await pieces(world, session, 5)).toHaveLength(1)
  })

  it("show a prompt in the turn that promoted it, also if it was admitted earlier", async () => {
    const held = gate()
    const world = await place([[{ gate: held }, textPart("A")], [textPart("B")], [textPart("C")]])
    const { session } = world
    let ended = 0
    const last = next(session, "turn.ended", () => ++ended === 3)
    for (const text of ["a", "b", "c"]) await prompt(session, text)
    await held.arrived
    held.open()
    await last
    expect(await pieces(world, session, 1)).toEqual([
      ["c", "C"],
      ["b", "B"],
      ["a", "A"],
    ])
  })

  it("leave out rewound turns wherever a page starts", async () => {
    const world = await place(["A", "B", "C", "D"].map((answer) => [textPart(answer)]))
    const { session } = world
    await turn(session, "a")
    const toSeq = session.state.seq
    for (const text of ["b", "c"]) await turn(session, text)
    await session.send({ type: "rewind", toSeq }, you)
    await turn(session, "d")
    expect(await pieces(world, session, 1)).toEqual([
      ["d", "D"],
      ["a", "A"],
    ])
    const whole = await readEarlierTurns(world.log, session.id, session.state.seq, 10)
    expect(whole.kind === "ok" && textsIn(whole.value.items)).toEqual(["a", "A", "d", "D"])
  })

  it("end where the context was cleared", async () => {
    const world = await place(["A", "B", "C"].map((answer) => [textPart(answer)]))
    const { session } = world
    await turn(session, "a")
    await session.send({ type: "clear-context" }, you)
    for (const text of ["b", "c"]) await turn(session, text)
    expect((await pieces(world, session, 1)).flat()).toEqual(["c", "C", "b", "B"])
  })
})
