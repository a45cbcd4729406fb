// Approvals are listed and answered from the command line after their host has died.
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../src/contract/values.ts"
import { eventually } from "../e2e/eventually.ts"
import { assistantTexts } from "../e2e/history.ts"
import { eventsOf, object, objects } from "../e2e/printed.ts"
import { newPlace, program, type Place } from "../e2e/turnhouse.ts"
import { runUntilApproval, command, leavePendingApproval } from "./asking.ts"

function endedTurn(place: Place, sessionId: string): Promise<string> {
  return eventually("the turn has ended", async () => {
    const log = await place.log(sessionId)
    return eventsOf(log, "turn.ended").length > 0 ? log : undefined
  })
}

describe.concurrent("approvals", () => {
  it("reports that no request is pending", async (test) => {
    const place = newPlace(test)
    expect(await place.run("approvals")).toMatchObject({
      code: 0,
      stdout: "No pending approvals or escalations.\n",
      stderr: "",
    })
    expect(await place.run("approvals", "--json")).toMatchObject({ code: 0, stdout: "[]\n" })
    expect((await place.run("approvals", "--granted")).stdout).toBe("No standing permissions.\n")
  })

  it("lists a pending request with its exact arguments and how to answer, without opening the session", async (test) => {
    const place = newPlace(test)
    const { approvalId, sessionId } = await leavePendingApproval(place)
    const before = await place.log(sessionId)
    const { code, stdout } = await place.run("approvals")
    expect(code).toBe(0)
    for (const shown of [
      approvalId,
      sessionId,
      "bash",
      "can change files or other state",
      JSON.stringify(command),
      place.folder,
    ])
      expect(stdout).toContain(shown)
    expect(stdout).toContain(`turnhouse approve ${approvalId}`)
    const [request] = objects((await place.run("approvals", "--json")).stdout)
    expect(request).toMatchObject({ id: approvalId, sessionId, tool: "bash", input: { command }, audience: "driver" })
    expect(await place.log(sessionId)).toBe(before)
  })
})

describe.concurrent("approve", () => {
  it("stores an approval, and the turn continues in the background", async (test) => {
    const place = newPlace(test)
    const { approvalId, sessionId } = await leavePendingApproval(place)
    const answered = await place.run("approve", approvalId.slice(0, 10), "--note", "go ahead")
    expect(answered).toMatchObject({ code: 0, stdout: `${approvalId} approved\n` })
    expect(answered.stderr).toContain(JSON.stringify(command))
    const log = await endedTurn(place, sessionId)
    expect(place.read("made.txt")).toBe("made\n")
    expect(assistantTexts(log)).toContain("I was told.")
    const [decided] = eventsOf(log, "approval.decided")
    expect(decided).toMatchObject({ outcome: "approved", note: "go ahead", by: { door: "approve" } })
  })

  it("stores a denial, and gives the model the note", async (test) => {
    const place = newPlace(test)
    const { approvalId, sessionId } = await leavePendingApproval(place)
    const { code, stdout } = await place.run("approve", approvalId, "--deny", "--note", "not today", "--json")
    expect(code).toBe(0)
    expect(object(stdout)).toMatchObject({ id: approvalId, sessionId, outcome: "denied" })
    const log = await endedTurn(place, sessionId)
    expect(assistantTexts(log)).toContain("I was told.")
    expect(eventsOf(log, "tool.refused")[0]?.reason).toContain("not today")
    expect(existsSync(place.path("made.txt"))).toBe(false)
  })

  it("accepts one answer; a later one reports who answered", async (test) => {
    const place = newPlace(test)
    const { approvalId } = await leavePendingApproval(place)
    await place.run("approve", approvalId, "--deny")
    const late = await place.run("approve", approvalId)
    expect(late.code).toBe(1)
    expect(late.stderr).toMatch(new RegExp(`^turnhouse: ${approvalId} is already settled: denied by .+\n$`))
  })

  it("answers a live session where it runs, and its turn continues at once", async (test) => {
    const place = newPlace(test)
    const { approvalId, running, sessionId } = await runUntilApproval(place)
    expect(await place.run("approve", approvalId)).toMatchObject({ code: 0, stdout: `${approvalId} approved\n` })
    expect(await running.ended).toMatchObject({ code: 0 })
    expect(place.read("made.txt")).toBe("made\n")
    const [decided] = eventsOf(await place.log(sessionId), "approval.decided")
    expect(decided).toMatchObject({ outcome: "approved", by: { door: "approve" } })
  })

  it("accepts one of two concurrent answers to a live session and refuses the other", async (test) => {
    const place = newPlace(test)
    const { approvalId, running } = await runUntilApproval(place)
    const answers = await Promise.all([place.run("approve", approvalId), place.run("approve", approvalId, "--deny")])
    expect(answers.map(({ code }) => code).toSorted((one, other) => one - other)).toEqual([0, 1])
    await running.ended
  })

  it("names the process of a live session that does not answer, and changes nothing", async (test) => {
    const place = newPlace(test)
    const { approvalId, running } = await runUntilApproval(place)
    rmSync(join(place.home, "hosts"), { recursive: true })
    const { code, stderr } = await place.run("approve", approvalId)
    expect(code).toBe(4)
    expect(stderr).toContain(`is open in another process (run, pid ${running.pid})`)
  })

  it.for([
    [["approve"], "name one request"],
    [["approve", "apr_0123456789"], "no approval request has the id 'apr_0123456789'"],
    [["approve", "apr_1", "--for", "ever"], "Use 'session' or 'folder'"],
    [["approve", "apr_1", "--pattern", "*"], "--pattern needs --for"],
    [["approvals", "--revoke", "grt_12345"], "no standing permission has the id 'grt_12345'"],
  ] as const)("%o is refused with one line and exit code 2", async ([args, why], test) => {
    const { code, stderr, stdout } = await newPlace(test).run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^turnhouse: [^\n]+\n$/)
    expect(stderr).toContain(why)
  })
})

describe.concurrent("a standing permission", () => {
  it("is shown before it is stored, applies in the folder, is listed, and can be revoked", async (test) => {
    const place = newPlace(test)
    const { approvalId, sessionId } = await leavePendingApproval(place, "echo one")
    const given = await place.run("approve", approvalId, "--for", "folder", "--pattern", "echo *")
    expect(given.code).toBe(0)
    expect(given.stderr).toContain(`bash runs without approval in every session in ${place.folder}`)
    expect(given.stderr).toContain("matches 'echo *'")
    const [grant] = objects((await place.run("approvals", "--granted", "--json")).stdout)
    expect(grant).toMatchObject({ tool: "bash", pattern: "echo *", scope: "folder", sessionId, cwd: place.folder })

    const model = place.script([[{ call: { tool: "bash", input: { command: "echo two" } } }], [{ text: "Ran." }]])
    expect((await place.run("run", "again", "--model", model)).code).toBe(0)

    const revoked = await place.run("approvals", "--revoke", String(grant?.["id"]))
    expect(revoked).toMatchObject({ code: 0 })
    expect(revoked.stdout).toContain("revoked: bash runs without approval")
    expect((await place.run("approvals", "--granted")).stdout).toBe("No standing permissions.\n")
    expect((await place.run("run", "again", "--model", model)).code).toBe(3)
  })

  it("is refused for a pattern that does not match the call, and the request stays pending", async (test) => {
    const place = newPlace(test)
    const { approvalId } = await leavePendingApproval(place)
    const { code, stderr } = await place.run("approve", approvalId, "--for", "session", "--pattern", "rm *")
    expect(code).toBe(2)
    expect(stderr).toContain("does not match this call")
    expect((await place.run("approvals")).stdout).toContain(approvalId)
  })

  it("does not cover a call with the allowed argument in a field that the tool does not read", async (test) => {
    const place = newPlace(test)
    const write = (input: JsonValue) => [{ call: { tool: "write", input } }]
    const model = place.script([
      write({ path: "notes.txt", content: "a" }),
      write({ path: "evil.txt", content: "b", command: "notes.txt" }),
      [{ text: "I was told." }],
    ])
    const running = place.start(["run", "go", "--json", "--wait", "1h", "--model", model])
    const { approvalId } = await running.event("approval.requested")
    expect((await place.run("approve", approvalId, "--for", "session")).code).toBe(0)
    await running.ended
    expect(eventsOf(running.stdout, "approval.requested")).toHaveLength(1)
    const [refused] = eventsOf(running.stdout, "tool.refused")
    expect(refused?.["reason"]).toMatch(/^write has no field 'command';/)
    expect([place.has("notes.txt"), place.has("evil.txt")]).toEqual([true, false])
  })

  it("does not cover a call with the allowed argument in another spelling of the field", async (test) => {
    const place = newPlace(test)
    const write = (input: JsonValue) => [{ call: { tool: "write", input } }]
    const model = place.script([
      write({ path: "notes.txt", content: "a" }),
      write({ path: "evil.txt", content: "b", file_path: "notes.txt" }),
      write({ file_path: "evil.txt", content: "c" }),
      [{ text: "I was told." }],
    ])
    const running = place.start(["run", "go", "--json", "--wait", "1h", "--model", model])
    const { approvalId } = await running.event("approval.requested")
    expect((await place.run("approve", approvalId, "--for", "session")).code).toBe(0)
    const second = await running.until(
      "the second request",
      () =>
        eventsOf(running.stdout, "approval.requested")[1]?.approvalId ??
        (running.stdout.includes('"turn.ended"') ? "none" : undefined),
    )
    expect((await place.run("approve", second, "--deny")).code).toBe(0)
    await running.ended
    expect([place.has("notes.txt"), place.has("evil.txt")]).toEqual([true, false])
  })

  it("with many wildcards does not freeze a later session on a long argument", async (test) => {
    const place = newPlace(test)
    const { approvalId } = await leavePendingApproval(place, "echo aaaaaab")
    const given = await place.run("approve", approvalId, "--for", "folder", "--pattern", "*a*a*a*a*a*a*b")
    expect(given.code).toBe(0)
    const call = { tool: "bash", input: { command: `echo ${"a".repeat(3000)}` } }
    const model = place.script([[{ call }], [{ text: "Ran." }]])
    expect((await place.run("run", "again", "--model", model)).code).toBe(3)
  })

  it("can be declined at a terminal; Ctrl-C ends the command without a change", async (test) => {
    const place = newPlace(test)
    const { approvalId } = await leavePendingApproval(place)
    const line = `${program} approve ${approvalId} --for session`
    const declined = place.onTerminal(line)
    await declined.prints("[y/N]")
    declined.write("n\r")
    expect((await declined.ended).code).toBe(3)
    const stopped = place.onTerminal(line)
    await stopped.prints("[y/N]")
    stopped.write("\u0003")
    expect((await stopped.ended).code).toBe(130)
    expect((await place.run("approvals")).stdout).toContain(approvalId)
    const accepted = place.onTerminal(line)
    await accepted.prints("[y/N]")
    accepted.write("y\r")
    expect((await accepted.ended).code).toBe(0)
    expect((await place.run("approvals", "--granted")).stdout).toContain("bash runs without approval in session")
  })
})
