import { describe, expect, it } from "vitest"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Voting } from "../../../contract/values.ts"
import { vote, type Voted } from "./vote.ts"

type Answer = string | Error | { readonly call: string } | { readonly cutOff: string }

interface Watched {
  readonly said: string[]
  asked: number
  underWay: number
  mostAtOnce: number
}

const noCount = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }

function partsOf(answer: Exclude<Answer, Error>): LanguageModelV4StreamPart[] {
  const text = typeof answer === "string" ? answer : "cutOff" in answer ? answer.cutOff : undefined
  const unified = typeof answer === "object" && "cutOff" in answer ? "length" : "stop"
  const said: LanguageModelV4StreamPart[] =
    typeof answer === "object" && "call" in answer
      ? [{ type: "tool-call", toolCallId: "1", toolName: "read", input: answer.call }]
      : [{ type: "text-delta", id: "1", delta: text ?? "" }]
  const usage = { inputTokens: { ...noCount, total: 10 }, outputTokens: { total: 2, text: 2, reasoning: undefined } }
  return [...said, { type: "finish", usage, finishReason: { unified, raw: unified } }]
}

async function voteAbout(
  answers: readonly Answer[],
  voting: Partial<Voting> = {},
  noRoom?: string,
): Promise<{ voted: Voted; watched: Watched }> {
  const watched: Watched = { said: [], asked: 0, underWay: 0, mostAtOnce: 0 }
  const voted = await vote({
    voting: { ahead: 2, samples: 10, parallel: 4, ...voting },
    signal: AbortSignal.timeout(20_000),
    request: async () => {
      const answer = answers[watched.asked] ?? "nothing more is written here"
      watched.asked += 1
      watched.underWay += 1
      watched.mostAtOnce = Math.max(watched.mostAtOnce, watched.underWay)
      await new Promise(setImmediate)
      watched.underWay -= 1
      if (answer instanceof Error) throw answer
      return { stream: ReadableStream.from(partsOf(answer)), costUsd: () => undefined }
    },
    reserveAnother: () => noRoom,
    price: ({ input, output }) => (input + output) / 1000,
    progress: (message) => watched.said.push(message),
  })
  return { voted, watched }
}

function textOf({ parts }: Voted): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}

describe("a vote", () => {
  it("takes the first answer that leads, and reports progress", async () => {
    const { voted, watched } = await voteAbout(["4", "5", "4", "4"])
    expect(textOf(voted)).toBe("4")
    expect(voted.votes).toEqual({ counted: 4, discarded: 0, lead: 2, ahead: 2 })
    expect(watched.said).toEqual(["vote 1: 1-0", "vote 2: 1-1", "vote 3: 2-1", "vote 4: 3-1"])
  })

  it("charges every answer", async () => {
    const { voted } = await voteAbout(["4", "5", "4", "4"])
    expect(voted.usage).toMatchObject({ input: 40, output: 8 })
    expect(voted.costUsd).toBeCloseTo(0.048)
  })

  it("never runs more requests than may still be needed", async () => {
    const { watched } = await voteAbout(["4", "4", "4"], { ahead: 3, parallel: 16 })
    expect([watched.asked, watched.mostAtOnce, watched.underWay]).toEqual([3, 3, 0])
  })

  it("runs at most the configured number of requests in parallel", async () => {
    expect((await voteAbout(["4", "4", "4"], { ahead: 3, parallel: 1 })).watched.mostAtOnce).toBe(1)
  })

  it("ignores white space and the order of fields", async () => {
    const { voted } = await voteAbout(['{"a":1,"b":[2]}', '```json\n{ "b": [2], "a": 1 }\n```'])
    expect(voted.votes.lead).toBe(2)
    expect((await voteAbout(["yes,  it\nis", "yes, it is"])).voted.votes.lead).toBe(2)
    expect((await voteAbout([{ call: '{"a":1,"b":2}' }, { call: '{"b":2,"a":1}' }])).voted.votes.lead).toBe(2)
  })

  it.each<readonly [string, Answer]>([
    ["it was cut off", { cutOff: "4" }],
    ["it is empty", " \n"],
    ["its call cannot be read", { call: "{" }],
    ["it is too long", "x".repeat(5000)],
    ["it corrects itself", "It is 5. Wait, it is 4"],
    ["it corrects itself", "Actually, it is 4"],
  ])("does not count an answer when %s", async (flag, answer) => {
    const { voted, watched } = await voteAbout([answer, "4", "4"], { parallel: 1 })
    expect(voted.votes).toEqual({ counted: 2, discarded: 1, lead: 2, ahead: 2 })
    expect(watched.said[0]).toBe(`vote 1: 0-0 (not counted: ${flag})`)
  })

  it("does not discard phrases that only resemble self-corrections", async () => {
    const harmless = "The waiter said: you may wait, actually, and Await, too"
    expect((await voteAbout([harmless, harmless])).voted.votes.discarded).toBe(0)
  })

  it("takes the leading answer after the last sample", async () => {
    const { voted } = await voteAbout(["a", "b", "c", "b"], { samples: 4, parallel: 1 })
    expect(textOf(voted)).toBe("b")
    expect(voted.votes).toEqual({ counted: 4, discarded: 0, lead: 1, ahead: 2, undecided: { best: 2, next: 1 } })
  })

  it("is undecided when two answers are tied after the last sample", async () => {
    const { voted } = await voteAbout(
      Array.from({ length: 14 }, (_, at) => (at % 2 === 0 ? "a" : "b")),
      {
        ahead: 3,
        samples: 14,
      },
    )
    expect(voted.votes).toMatchObject({ counted: 14, lead: 0, ahead: 3, undecided: { best: 7, next: 7 } })
  })

  it("fails after the last sample with failFast, and when no answer counts", async () => {
    await expect(voteAbout(["a", "b"], { samples: 2, failFast: true })).rejects.toThrow(
      "The vote has no result: after 2 answers the best leads by 0, and 2 are needed.",
    )
    await expect(voteAbout(["", ""], { samples: 2 })).rejects.toThrow(
      "None of 2 answers could be counted: of the last one, it is empty.",
    )
  })

  it("does not request several answers in parallel when the limit allows fewer", async () => {
    const { voted, watched } = await voteAbout(["a", "b", "c", "d"], { ahead: 4, usd: 0.02, parallel: 4 })
    expect(watched.asked).toBe(2)
    expect(voted.costUsd).toBeCloseTo(0.024)
  })

  it("sends no further request at its cost limit", async () => {
    const { voted, watched } = await voteAbout(["a", "b", "c", "d"], { usd: 0.02, parallel: 1 })
    expect([watched.asked, voted.votes.counted]).toEqual([2, 2])
  })

  it("sends no further request when the budget has no room", async () => {
    const { voted, watched } = await voteAbout(["a", "a"], {}, "nothing is left")
    expect([watched.asked, voted.votes.counted]).toEqual([1, 1])
    await expect(voteAbout(["a"], { failFast: true }, "nothing is left")).rejects.toThrow("nothing is left")
  })

  it("takes the leading answer when the provider fails, and fails without one", async () => {
    const fault = new Error("no service")
    expect(textOf((await voteAbout(["a", fault], { parallel: 1 })).voted)).toBe("a")
    await expect(voteAbout([fault], { parallel: 1 })).rejects.toBe(fault)
  })
})
