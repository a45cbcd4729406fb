import { describe, expect, it } from "vitest"
import { rememberedCall } from "../../../contract/rules/approval-answers.ts"
import type { ToolClass } from "../../../contract/values.ts"
import { newSession, next, testHost, testTool, turn, you } from "../../../testing/test-host.ts"
import { scriptedSource } from "../../../testing/index.ts"
import { judgeByPolicy, noRules, noPaths, policyGate, type PolicyQuestion } from "./policy.ts"

const question = (
  tool: string,
  toolClass: ToolClass = "unsafe",
  change: Partial<PolicyQuestion> = {},
): PolicyQuestion => ({
  tool,
  input: {},
  cwd: "/",
  paths: [],
  class: toolClass,
  asksBeforeChanges: true,
  outside: [],
  taintedBy: undefined,
  ...change,
})

const fetching = (change: Partial<PolicyQuestion> = {}) =>
  question("web_fetch", "read", { input: { url: "https://example.org/a" }, ...change })

const kindOf = (rules: Partial<typeof noRules>, asked: PolicyQuestion) => {
  const verdict = judgeByPolicy({ ...noRules, ...rules }, asked)
  return verdict?.kind === "ask" ? verdict.audience : (verdict?.kind ?? "allow")
}

describe("the policy", () => {
  it.each([
    ["careful: reading is free", {}, question("read", "read"), "allow"],
    ["careful: what can change files or other state asks", {}, question("bash"), "driver"],
    ["careful: a keyed call asks too", {}, question("pay", "keyed"), "driver"],
    [
      "careful: starting agents needs no approval, their calls are judged themselves",
      {},
      question("subagent", "keyed"),
      "allow",
    ],
    ["also with untrusted text about", {}, question("subagent_start", "keyed", { taintedBy: "mail" }), "allow"],
    ["unless the configuration says so", { confirm: ["subagent*"] }, question("subagent", "keyed"), "driver"],
    ["careful: reading outside the folder asks", {}, question("read", "read", { outside: ["/etc/passwd"] }), "driver"],
    [
      "trusting: nothing asks",
      {},
      question("bash", "unsafe", { asksBeforeChanges: false, outside: ["/etc"] }),
      "allow",
    ],
    ["service: what it has may run", {}, question("lookup", "unsafe", { asksBeforeChanges: false }), "allow"],
    ["allow spares the question", { allow: ["bash"] }, question("bash"), "allow"],
    ["a pattern is a glob", { allow: ["b*h"] }, question("bash"), "allow"],
    ["a pattern fits the whole name", { allow: ["bas"] }, question("bash"), "driver"],
    ["a pattern is no regular expression", { allow: ["b.sh"] }, question("bash"), "driver"],
    ["other agents' names work", { allow: ["execute_command"] }, question("bash"), "allow"],
    [
      "confirm asks where the preset would not",
      { confirm: ["bash"] },
      question("bash", "unsafe", { asksBeforeChanges: false }),
      "driver",
    ],
    ["confirm wins over allow", { allow: ["*"], confirm: ["bash"] }, question("bash"), "driver"],
    [
      "approve asks an approver, and wins over confirm",
      { approve: ["bash"], confirm: ["bash"] },
      question("bash"),
      "approver",
    ],
    [
      "untrusted text makes unsafe calls ask, also when trusting",
      {},
      question("bash", "unsafe", { asksBeforeChanges: false, taintedBy: "mail" }),
      "driver",
    ],
    [
      "untrusted text makes them ask although they are allowed",
      { allow: ["bash"] },
      question("bash", "unsafe", { taintedBy: "mail" }),
      "driver",
    ],
    ["untrusted text does not hinder reading", {}, question("read", "read", { taintedBy: "mail" }), "allow"],
    [
      "the taint rule can be switched off",
      { taint: false, allow: ["bash"] },
      question("bash", "unsafe", { taintedBy: "mail" }),
      "allow",
    ],
    ["careful: fetching a page asks", {}, fetching(), "driver"],
    ["trusting: fetching a page does not", {}, fetching({ asksBeforeChanges: false }), "allow"],
    ["a rule allows pages of its host", { allow: ["WebFetch(domain:example.org)"] }, fetching(), "allow"],
    ["a rule for another host does not", { allow: ["WebFetch(domain:example.com)"] }, fetching(), "driver"],
    [
      "untrusted text makes fetching ask, although it reads: an address can carry what the model knows",
      { allow: ["web_fetch", "*"] },
      fetching({ asksBeforeChanges: false, taintedBy: "mail" }),
      "driver",
    ],
    [
      "but not for a host that a rule names",
      { allow: ["web_fetch(domain:*.org)"] },
      fetching({ taintedBy: "mail" }),
      "allow",
    ],
    ["careful: searching the web asks", {}, question("web_search", "read"), "driver"],
    ["a rule allows every search", { allow: ["WebSearch"] }, question("web_search", "read"), "allow"],
    [
      "untrusted text does not hinder searching: the service is the user's choice",
      { allow: ["web_search"] },
      question("web_search", "read", { taintedBy: "web page" }),
      "allow",
    ],
  ])("%s", (_, rules, asked, verdict) => {
    expect(kindOf(rules, asked)).toBe(verdict)
  })

  it("names the host that gets a request", () => {
    expect(judgeByPolicy(noRules, fetching())?.reason).toBe("web_fetch would send a request to example.org.")
  })
})

describe("a permission for a host", () => {
  it("covers later pages of that host, also after untrusted text, and no others", async () => {
    const call = (url: string) => [{ call: { tool: "web_fetch", input: { url } } }]
    const script = [
      call("https://a.example/1"),
      call("https://A.example.:8443/2"),
      call("https://b.example/"),
      [{ text: "Done." }],
    ]
    const fetched: unknown[] = []
    const page = { outcome: "done", output: "text", untrustedSource: "web page" } as const
    const tool = { ...testTool("web_fetch", (input) => (fetched.push(input), page)), class: "read" as const }
    const { host } = await testHost(scriptedSource(script), [tool])
    const session = await newSession(host, { preset: "careful" })
    const asked: unknown[] = []
    session.watch((item) => {
      if (item.kind !== "event" || item.recorded.event.type !== "approval.requested") return
      const { approvalId, causes } = item.recorded.event
      asked.push(causes)
      const remember = rememberedCall("web_fetch", { url: "https://a.example/1" })
      void session.send({ type: "approve", approvalId, approved: asked.length === 1, remember }, you)
    })
    await turn(session, "go")
    expect(fetched).toEqual([{ url: "https://a.example/1" }, { url: "https://A.example.:8443/2" }])
    expect(asked).toEqual([["preset"], ["preset", "untrusted"]])
  })
})

describe("a permission given in advance", () => {
  it("covers matching calls, no others, and none after untrusted text", async () => {
    const call = (command: string) => ({ call: { tool: "bash", input: { command } } })
    const script = [
      [call("npm test")],
      [call("npm test -- fast")],
      [call("rm -r /")],
      [{ text: "Done." }],
      [call("npm test")],
      [{ text: "Done." }],
    ]
    const ran: unknown[] = []
    const bash = testTool("bash", (input) => (ran.push(input), { outcome: "done", output: "" }))
    const { host } = await testHost(scriptedSource(script), [bash])
    const session = await newSession(host, { preset: "careful" })
    const asked: string[] = []
    session.watch((item) => {
      if (item.kind !== "event" || item.recorded.event.type !== "approval.requested") return
      const { approvalId } = item.recorded.event
      asked.push(approvalId)
      const first = asked.length === 1
      const remember = first ? ({ pattern: "npm test*", scope: "session" } as const) : undefined
      void session.send({ type: "approve", approvalId, approved: first, remember }, you)
    })
    await turn(session, "go")
    expect(ran).toEqual([{ command: "npm test" }, { command: "npm test -- fast" }])
    expect(asked).toHaveLength(2)
    const ended = next(session, "turn.ended")
    await session.send(
      { type: "prompt", promptId: "prm_mail", text: "run it", ifBusy: "wait", untrustedSource: "mail" },
      you,
    )
    await ended
    expect(asked).toHaveLength(3)
    expect(ran).toHaveLength(2)
  })
})

describe("untrusted text", () => {
  it.each([
    ["rpc", undefined, 0],
    ["rpc", true, 1],
    ["run", undefined, 1],
    ["run", false, 0],
  ])("in a session of %s, where the configuration says %s, asks %i times", async (origin, taint, times) => {
    const gates = [policyGate({ ...noRules, taint }, noPaths)]
    const script = [[{ call: { tool: "bash", input: {} } }], [{ text: "Done." }]]
    const bash = testTool("bash", () => ({ outcome: "done", output: "" }))
    const { host } = await testHost(scriptedSource(script), [bash], { gates, approvalWaitMs: 0 })
    const session = await newSession(host, { preset: "trusting", origin })
    const ended = next(session, "turn.ended")
    await session.send({ type: "prompt", promptId: "prm_1", text: "go", ifBusy: "wait", untrustedSource: "mail" }, you)
    await ended
    expect(session.state.approvals).toHaveLength(times)
  })
})
