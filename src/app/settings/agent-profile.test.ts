import { describe, expect, it } from "vitest"
import type { Config } from "../../contract/config.ts"
import { testTool } from "../../testing/test-host.ts"
import { profileOf, serviceSetting, toolsInConfig, toolsOfAgent } from "./agent-profile.ts"
import { configuredService } from "./new-session.ts"

const all = ["bash", "read", "subagent", "lookup_order", "delete_order"].map((name) =>
  testTool(name, () => ({ outcome: "done", output: "" })),
)
const own = ["escalate", "request_identity_intake", "request_choices", "submit_interaction"]

function names(tools?: string[]): readonly string[] {
  return toolsOfAgent(all, { tools }).map(({ name }) => name)
}

describe("an agent of the WebSocket API", () => {
  it("has defined tools and those for visitors, and neither shell nor files nor agents", () => {
    expect(names()).toEqual(["lookup_order", "delete_order", ...own])
    expect(names([])).toEqual(names())
  })

  it("has only the tools of its list, also of those for visitors", () => {
    expect(names(["lookup_*", "escalate"])).toEqual(["lookup_order", "escalate"])
  })

  it("has shell and file tools only if they are listed, by any of their names", () => {
    expect(names(["*"])).toEqual(names())
    expect(names(["lookup_order", "Read", "bash"])).toEqual(["bash", "read", "lookup_order"])
  })

  it("has the configured settings, and the general system prompt by default", () => {
    const config: Config = {
      system: "Be kind.",
      agents: {
        shop: { instructions: "Sell.", greeting: "Ahoy!", preamble: "quick", visibility: "internal" },
        plain: {},
      },
    }
    expect(serviceSetting(config, { agentId: "shop" })).toMatchObject({
      instructions: "Sell.",
      greeting: "Ahoy!",
      preamble: "quick",
      visibility: "internal",
    })
    expect(serviceSetting(config, { agentId: "plain" }).instructions).toBe("Be kind.")
  })

  it("has the workflow of its profile, and who judges it", () => {
    const workflow = { goal: "sell", steps: [{ id: "a", intent: "ask", criteria: "said" }] }
    const config = { agents: { shop: { workflow, judge: "quick" } } }
    expect(serviceSetting(config, { agentId: "shop" })).toMatchObject({ workflow, judge: "quick" })
    expect(serviceSetting(config, { agentId: "other" }).workflow).toBeUndefined()
  })

  it("has no tools if it is missing from a configuration that names others", () => {
    const config: Config = { agents: { shop: { tools: ["lookup_order"] } } }
    const toolNames = (agentId: string | undefined, usedConfig = config) =>
      toolsInConfig(all, usedConfig, agentId).map(({ name }) => name)
    expect(toolNames("shop")).toEqual(["lookup_order"])
    for (const agentId of [undefined, "other", "constructor", "__proto__"]) {
      expect(toolNames(agentId)).toEqual([])
      expect(serviceSetting(config, { agentId }).allows?.("lookup_order")).toBe(false)
    }
    expect(toolNames("other", {})).toEqual(names())
  })

  it("that is not configured has the defaults, whatever its id", () => {
    const config: Config = { agents: { shop: {} } }
    for (const agentId of [undefined, "other", "constructor", "__proto__"])
      expect(profileOf(config, agentId)).toEqual({})
  })

  it("selects tools of extensions by the same list", () => {
    const allows = serviceSetting({ agents: { shop: { tools: ["crm_*"] } } }, { agentId: "shop" }).allows
    expect([allows?.("crm_find"), allows?.("git_push")]).toEqual([true, false])
  })
})

describe("a session of the WebSocket API", () => {
  it("has 20 model calls a turn, or fewer, and no agents", () => {
    const limitsOf = (stepsPerTurn?: number) => configuredService({ limits: { stepsPerTurn } }).limits
    expect(limitsOf()).toEqual({ stepsPerTurn: 20, depth: 0, children: 0 })
    expect([limitsOf(500).stepsPerTurn, limitsOf(5).stepsPerTurn]).toEqual([20, 5])
  })

  it("has tools if the tool mode of other sessions is restrictive", () => {
    expect(configuredService({ tools: { mode: "Core" } }).toolMode).toBe("Smart")
    expect(configuredService({ tools: { mode: "None" } }).toolMode).toBe("None")
  })
})
