import { describe, expect, it } from "vitest"
import { load, problemsWith, useConfigPlace, write } from "../testing/config-place.ts"

useConfigPlace()

const step = (id: string, more: object = {}) => ({ id, intent: "ask", criteria: "it is said", ...more })
const agentWith = (...steps: readonly object[]) => ({ agents: { shop: { workflow: { goal: "sell", steps } } } })

describe("a workflow", () => {
  it("is accepted with all its keys", async () => {
    const all = agentWith(step("a", { next: "b", quickReplies: ["S", "L"] }), step("b", { next: "a" }))
    write("home/config.json", all)
    expect((await load()).config).toEqual(all)
  })

  it.each([
    [{}, "agents.shop.workflow.goal is missing."],
    [{ goal: "g", steps: [] }, "agents.shop.workflow.steps: the list is empty; it needs at least one item."],
    [{ goal: "g", steps: [step("a", { nxt: "b" })] }, '"agents.shop.workflow.steps[0].nxt"; did you mean "next"?'],
    [{ goal: "g", steps: [step("a".repeat(65))] }, "steps[0].id: expected at most 64 characters, found more."],
    [
      { goal: "g", steps: [step("a", { intent: "i".repeat(501) })] },
      "steps[0].intent: expected at most 500 characters",
    ],
    [
      { goal: "g", steps: [step("a", { criteria: "c".repeat(1001) })] },
      "steps[0].criteria: expected at most 1000 characters",
    ],
    [{ goal: "g", steps: Array.from({ length: 21 }, (_, n) => step(`s${n}`)) }, "steps: expected at most 20 items"],
    [
      { goal: "g", steps: [step("a", { quickReplies: ["1", "2", "3", "4", "5"] })] },
      "quickReplies: expected at most 4",
    ],
    [{ goal: "g", steps: [{ id: "a", intent: "i" }] }, "agents.shop.workflow.steps[0].criteria is missing."],
    ["sell", "agents.shop.workflow: expected an object {…}, found a text."],
  ])("that is %j is refused with the place of the mistake", async (workflow, problem) => {
    expect(await problemsWith({ agents: { shop: { workflow } } })).toContain(problem)
  })

  it("is rejected for duplicate steps and for unknown next steps", async () => {
    const problems = await problemsWith(agentWith(step("a"), step("a", { next: "gone" })))
    expect(problems).toContain('agents.shop.workflow.steps[1].id: duplicate step "a".')
    expect(problems).toContain('agents.shop.workflow.steps[1].next: unknown step "gone".')
    expect(problems).toMatch(/^\/home\/config\.json:1:\d+: /)
  })
})

describe("a provider", () => {
  it.each([
    [{ type: "openai", profile: "work" }, "providers.mine.profile is only for type amazon-bedrock."],
    [{ type: "openai", resourceName: "corp" }, "providers.mine.resourceName is only for type azure."],
    [{ type: "vertex", apiVersion: "preview" }, "providers.mine.apiVersion is only for type azure."],
    [{ type: "google", project: "p" }, "providers.mine.project is only for type vertex."],
    [{ type: "azure", location: "eu" }, "providers.mine.location is only for type vertex."],
    [{ type: "azure", resourceName: "a", baseURL: "https://b" }, "resourceName has no effect beside baseURL;"],
  ])("is refused with a key that it does not read: %j", async (mine, problem) => {
    expect(await problemsWith({ providers: { mine } })).toContain(problem)
  })
})

describe("a glob of a formatter or a language server", () => {
  it("that is invalid is refused with its place", async () => {
    const problems = await problemsWith({ tools: { format: { "*.ts": ["true"], "*.[z-a]": ["true"] } } })
    expect(problems).toMatch(
      /^\/home\/config\.json:1:\d+: tools\.format: "\*\.\[z-a\]" is not a valid glob; write a range/,
    )
    expect(problems.split("\n")).toHaveLength(1)
    expect(await problemsWith({ tools: { format: { ["a".repeat(1001)]: ["true"] } } })).toContain(
      "at most 1000 characters",
    )
    const languageServers = { ts: { command: ["ts"], files: ["*.ts", "[b-a]"] } }
    expect(await problemsWith({ tools: { languageServers } })).toContain(
      'tools.languageServers.ts.files[1]: "[b-a]" is not a valid glob',
    )
  })

  it("needs at least one file, a command and a time limit of at most a minute", async () => {
    const problems = await problemsWith({ tools: { languageServers: { a: { command: [], files: [], timeout: 61 } } } })
    expect(problems).toContain("tools.languageServers.a.command: the list is empty")
    expect(problems).toContain("tools.languageServers.a.files: the list is empty")
    expect(problems).toContain("tools.languageServers.a.timeout: expected 60 or less")
    expect(await problemsWith({ tools: { languageServers: { a: { files: ["*"] } } } })).toContain("command is missing")
  })
})

describe("a host whose address is not public", () => {
  it.each(["localhost", "localhost:3000", "*.corp.example", "[::1]:80", "10.0.0.0/8", "fd00::/8"])(
    "may be %s",
    async (entry) => {
      write("home/config.json", { web: { allowPrivate: [entry] } })
      expect((await load()).config.web?.allowPrivate).toEqual([entry])
    },
  )

  it.each(["http://localhost:3000", "localhost/", "10.0.0.0/33", "10.0.0/8", "a b"])("cannot be %s", async (entry) => {
    expect(await problemsWith({ web: { allowPrivate: [entry] } })).toContain("web.allowPrivate[0]:")
  })
})

describe("the service of web_search", () => {
  it.each([
    [{ provider: "searxng" }, "web.search.provider: searxng needs its address in web.search.baseURL"],
    [{ provider: "brave", baseURL: "search.example" }, "web.search.baseURL: expected an address with http://"],
    [{ provider: "bing" }, "web.search.provider: expected"],
    [{ provider: "brave", baseUrl: "x" }, 'did you mean "baseURL"?'],
    [{ apiKey: "x" }, "web.search.provider is missing"],
  ])("that is %j is refused with the place of the mistake", async (search, problem) => {
    expect(await problemsWith({ web: { search } })).toContain(problem)
  })
})

describe("a rule about tool calls", () => {
  it.each([
    [{ deny: ["Bash(rm"] }, 'tools.deny[0]: "Bash(rm" must be TOOL or TOOL(ARGUMENT)'],
    [{ allow: ["bash", "Bash()"] }, 'tools.allow[1]: "Bash()" has an empty argument'],
    [{ admin: ["Bash(rm *)"] }, 'tools.admin[0]: "Bash(rm *)" must be the name of a tool'],
  ])("%j is refused", async (tools, problem) => {
    expect(await problemsWith({ tools })).toContain(problem)
  })

  it("may have an argument", async () => {
    const tools = { allow: ["Bash(npm test:*)"], confirm: ["Bash(git push *)"], deny: ["Read(.env)"] }
    write("home/config.json", { tools })
    expect((await load()).config).toEqual({ tools })
  })
})
