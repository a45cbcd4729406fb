// Homes that earlier releases wrote: each opens, and its sessions continue. A recorded file is never edited.
import { execFileSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import { version } from "../../src/program/program-files.ts"
import { complaintOf, noComplaint } from "../e2e/complaints.ts"
import { json, objects } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { makeWorkFolder, workFolder } from "./folder.ts"

const recordings = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".tar.gz"))

function recordedPlace(test: Pick<TestContext, "onTestFinished">, name: string): Place {
  const place = newPlace(test)
  execFileSync("tar", ["-xzf", join(import.meta.dirname, name), "--no-same-owner", "-C", place.home])
  return place
}

async function printed(place: Place, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await place.start(args, { cwd: workFolder }).ended
  if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
  return stdout
}

async function sessionOf(place: Place, firstPrompt: string): Promise<string> {
  const found = objects(await printed(place, "ls", "--all", "--json")).find(({ title }) => title === firstPrompt)
  return String(found?.["id"])
}

beforeAll(makeWorkFolder)

describe.concurrent.for(recordings)("the home that was recorded as %s", (name) => {
  it("passes every check of the log: hash chains, heads outside of the database, signatures", async (test) => {
    const place = recordedPlace(test, name)
    expect(json(await printed(place, "verify", "--json"))).toMatchObject({ damage: [], findings: [] })
  })

  it("continues a finished session with its history", async (test) => {
    const place = recordedPlace(test, name)
    const id = await sessionOf(place, "What do the notes say?")
    expect(await printed(place, "run", "What was it?", "--session", id)).toBe("The plants, as I said.\n")
    const log = await place.log(id)
    expect(log).toContain("Water the plants.")
    expect(log).toContain("What was it?")
  })

  it("continues the turn that was open; the call without a result is not repeated", async (test) => {
    const place = recordedPlace(test, name)
    const id = await sessionOf(place, "Wait a while.")
    const { code, stdout } = await place.start(["run", "--session", id, "--yes"], { cwd: workFolder }).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: "I do not know how it ended.\n" })
    const log = await place.log(id)
    expect(log.match(/"tool.started"/g)).toHaveLength(1)
    expect(log).toContain('"tool.unsettled"')
  })

  it("keeps documents, trusted folders and settings", async (test) => {
    const place = recordedPlace(test, name)
    expect(await printed(place, "knowledge", "search", "plants")).toContain("Water the plants.")
    expect(await printed(place, "trust", "--list")).toContain(workFolder)
    expect(await printed(place, "run", "Which model?", "--yes")).toContain("The notes say: water the plants.")
  })
})

describe.concurrent("a home of a newer release", () => {
  it.for([["ls"], ["run", "hi"], ["new"], ["rpc"], ["serve", "--port", "0"], ["verify"]])(
    "is refused by '%s' with both releases and what to do",
    async (args, test) => {
      const place = newPlace(test)
      const database = new DatabaseSync(join(place.home, "turnhouse.db"))
      database.exec("create table future (name text); pragma user_version = 99")
      database.close()
      writeFileSync(join(place.home, "turnhouse.db-release"), "9.8.7\n")
      const releases = `was written by Turnhouse 9.8.7 (schema 99; this is ${version()}, schema`
      const advice = "Upgrade, or set TURNHOUSE_HOME to another folder."
      const ended = await place.run(...args)
      const stdout = ended.stdout.replace(/^listening on .*\n/, "") // serve opens its port first
      expect(complaintOf({ ...ended, stdout }, releases, advice)).toEqual(noComplaint(ended.code))
      expect(ended.code).not.toBe(0)
    },
  )
})
