import { describe, expect, it } from "vitest"
import type { SessionCommand } from "../../contract/commands.ts"
import { DEFAULT_VOTING } from "../../features/voting/odds.ts"
import { type, view } from "../fixtures/typed-command.ts"

const voting = { ahead: 5, samples: 9, parallel: 2 }
const change = { status: { ...view.status, voting } }

describe("voting commands", () => {
  it.each<readonly [string, SessionCommand, string]>([
    ["mdap on", { type: "select-voting", voting: DEFAULT_VOTING }, "mdap_enabled"],
    ["mdap:on", { type: "select-voting", voting: DEFAULT_VOTING }, "mdap_enabled"],
    ["mdap off", { type: "select-voting" }, "mdap_disabled"],
    ["mdap:off", { type: "select-voting" }, "mdap_disabled"],
    ["mdap:k 1", { type: "select-voting", voting: { ...DEFAULT_VOTING, ahead: 1 } }, "mdap_enabled"],
    ["mdap:k 10", { type: "select-voting", voting: { ...DEFAULT_VOTING, ahead: 10 } }, "mdap_enabled"],
    ["mdap:target 0.98", { type: "select-voting", voting: { ...DEFAULT_VOTING, ahead: 3 } }, "mdap_enabled"],
    ["mdap:target 99.9%", { type: "select-voting", voting: { ...DEFAULT_VOTING, ahead: 5 } }, "mdap_enabled"],
    ["mdap:target 0.9999999999", { type: "select-voting", voting: { ...DEFAULT_VOTING, ahead: 10 } }, "mdap_enabled"],
  ])("/%s selects the voting mode", async (line, command, action) => {
    const { done, result } = await type(line)
    expect(done).toEqual([command])
    expect(result).toMatchObject({ success: true, action_taken: action })
  })

  it("keep the settings that were selected before", async () => {
    expect((await type("mdap:k 2", { change })).done).toEqual([
      { type: "select-voting", voting: { ...voting, ahead: 2 } },
    ])
    expect((await type("mdap on", { change })).done).toEqual([{ type: "select-voting", voting }])
  })

  it("/mdap shows the current mode", async () => {
    expect((await type("mdap")).result.output).toBe("Voting is off: the first answer counts.")
    expect((await type("mdap", { change })).result.output).toContain("leads by 5 votes wins, after at most 9 answers")
  })

  it.each([
    "mdap maybe",
    "mdap on off",
    "mdap:on now",
    "mdap:off now",
    "mdap:k",
    "mdap:k 0",
    "mdap:k 11",
    "mdap:k two",
    "mdap:k 1 2",
    "mdap:target",
    "mdap:target 0.5",
    "mdap:target 1",
    "mdap:target 100%",
    "mdap:target -1",
  ])("/%s shows the usage", async (line) => {
    const { done, result } = await type(line)
    expect(done).toEqual([])
    expect(result.error).toMatch(/^Usage: \/mdap/)
  })
})
