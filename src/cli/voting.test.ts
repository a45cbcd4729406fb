import { describe, expect, it } from "vitest"
import { Args } from "./command.ts"
import { leadOf, votingOf } from "./voting.ts"

const votingIn = (values: Record<string, string | boolean>) => votingOf(new Args(values, []))

describe("votes on a command line", () => {
  it("are requested only by --mdap", () => {
    expect(votingIn({})).toBeUndefined()
    expect(votingIn({ "mdap-k": "5" })).toBeUndefined()
    expect(votingIn({ mdap: true })).toEqual({ ahead: 3, samples: 50, parallel: 4 })
  })

  it("have the values of the other options", () => {
    const flags = { mdap: true, "mdap-k": "5", "mdap-parallel": "2", "mdap-max-samples": "9", "mdap-fail-fast": true }
    expect(votingIn(flags)).toEqual({ ahead: 5, samples: 9, parallel: 2, failFast: true })
    expect(votingIn({ mdap: true, "mdap-target": "0.98" })).toMatchObject({ ahead: 3 })
  })

  it("have the lead that --vote sets", () => {
    expect([leadOf(new Args({}, [])), leadOf(new Args({ vote: "2" }, []))]).toEqual([undefined, 2])
    expect(() => leadOf(new Args({ vote: "many" }, []))).toThrow("--vote: 'many' is not a number from 1 to 10")
  })

  it.each([
    ["mdap-k", "0", "--mdap-k: '0' is not a number from 1 to 10"],
    ["mdap-k", "three", "--mdap-k: 'three' is not a number from 1 to 10"],
    ["mdap-parallel", "17", "--mdap-parallel: '17' is not a number from 1 to 16"],
    ["mdap-max-samples", "-1", "--mdap-max-samples: '-1' is not a number from 1 to 200"],
    ["mdap-target", "1", "--mdap-target: '1' is not a rate between 0.5 and 1, such as 0.95"],
    ["mdap-target", "much", "--mdap-target: 'much' is not a rate between 0.5 and 1, such as 0.95"],
  ])("rejects %s %s", (name, value, message) => {
    expect(() => votingIn({ [name]: value })).toThrow(message)
  })
})
