// The log writer, which all processes of a home share.
import { describe, expect, it } from "vitest"
import { writerOf } from "../e2e/log-writer.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { startAtOnce } from "./children.ts"

describe("turnhouse rpc", () => {
  it("becomes ready in each of 20 children that start at once in a new home", async (test) => {
    expect(await startAtOnce(newPlace(test), 20)).toEqual(Array.from({ length: 20 }, () => 0))
  })
})

describe("a command that has started the log writer", () => {
  it("ends with its pipes closed while the writer still runs", async (test) => {
    const place = newPlace(test)
    const { code } = await place.run("run", "hello", "--model", place.script([[{ text: "Here." }]]))
    expect(code).toBe(0) // `ended` waits for the end of both pipes
    expect(writerOf(place.home)).toBeDefined()
  })
})

describe("a command that only reads", () => {
  it.for([["ls"], ["ls", "--json", "--all"], ["doctor"], ["verify"]])("%s starts no log writer", async (args, test) => {
    const place = newPlace(test)
    await place.run(...args)
    expect(writerOf(place.home)).toBeUndefined()
  })
})
