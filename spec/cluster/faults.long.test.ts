// Faults of a node, of NATS and of PostgreSQL, each in the middle of streaming, of tools and of a parked approval. Nodes are on
// machines of their own: only leases tell whether one is alive.
import { randomUUID } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Cluster, SessionView, type ClusterNode } from "./cluster.ts"
import { toolProcessesOf } from "./machine.ts"
import { greet, Scene, situations, spoken, Tools, type Nodes, type Situation } from "./situations.ts"

interface Fault {
  readonly name: string
  /** The owner loses its sessions. */
  readonly losesOwner: boolean
  readonly strike: () => Promise<void> | void
  /** Everything is as before; called when another node has taken over, or the turns that can have ended. */
  readonly heal: () => Promise<void> | void
  /** Before its turns end. */
  readonly healsAtOnce?: boolean
  /** Called when the turns have ended elsewhere. */
  readonly whileStruck?: () => Promise<void>
}

/** Those whose turn goes on without a person. */
const working = situations.filter((situation) => situation !== "a parked approval")
/** Turns of a lost node continue within this time. */
const TAKEOVER_SECONDS = 10
/** Tools of a fenced node are gone after this time. */
const TOOLS_MS = 8000

// The tests of a fault follow each other: none can be repeated alone.
describe("a fault in a cluster on machines of their own", { retry: 0 }, () => {
  const tools = new Tools(join(tmpdir(), `turnhouse-faults-${randomUUID()}`))
  const measured: string[] = []
  let cluster: Cluster
  let nodes: Nodes
  let a: ClusterNode

  beforeAll(async () => {
    cluster = await Cluster.start(tools.config())
    a = await cluster.node("a", {}, "on its own machine")
    nodes = {
      owner: a,
      others: await Promise.all([
        cluster.node("b", {}, "on its own machine"),
        cluster.node("c", {}, "on its own machine"),
      ]),
    }
  })
  afterAll(async () => {
    process.stdout.write(`${measured.join("\n")}\n`)
    await cluster.close()
    tools.remove()
  })

  const faults: readonly Fault[] = [
    { name: "kill -9 of the owner", losesOwner: true, strike: () => a.kill(), heal: () => a.start() },
    {
      name: "SIGSTOP of the owner past its lease",
      losesOwner: true,
      strike: () => a.signal("SIGSTOP"),
      heal: async () => {
        await a.signal("SIGCONT")
        await a.running.says('"event":"rejoined"')
      },
    },
    {
      name: "a partition of the owner from PostgreSQL",
      losesOwner: true,
      strike: () => a.store.set({ kind: "partitioned" }),
      whileStruck: async () => {
        expect(await a.readiness()).toMatchObject({ status: 503, text: expect.stringContaining("fenced") })
        await expect(a.visitor()).rejects.toThrow("503")
      },
      heal: () => a.store.set({ kind: "up" }),
    },
    {
      name: "a partition of the owner from NATS",
      losesOwner: false,
      strike: () => a.bus.set({ kind: "partitioned" }),
      heal: () => a.bus.set({ kind: "up" }),
    },
    {
      name: "kill -9 of NATS",
      losesOwner: false,
      strike: () => cluster.nats.process.stop("SIGKILL"),
      heal: () => cluster.nats.start(),
    },
    {
      name: "kill -9 of PostgreSQL",
      losesOwner: false,
      healsAtOnce: true,
      strike: () => cluster.postgres.process.stop("SIGKILL"),
      heal: () => cluster.postgres.start(),
    },
    {
      name: "a delay of 300 ms on both",
      losesOwner: false,
      strike: () => [a.store, a.bus].forEach((proxy) => proxy.set({ kind: "up", delayMs: 300 })),
      heal: () => [a.store, a.bus].forEach((proxy) => proxy.set({ kind: "up" })),
    },
  ]

  describe.for(faults)("$name", (fault) => {
    const scenes = new Map<Situation, Scene>()
    let struckAt = 0

    const sceneOf = (situation: Situation): Scene => {
      const scene = scenes.get(situation)
      if (scene === undefined) throw new Error(`there is no scene: ${situation}`)
      return scene
    }

    /** When the event was stored, and when a watcher at another node had it, in seconds after the fault. */
    function secondsTo(type: string, { first }: Scene): readonly [stored: number, seen: number] {
      const index = first.items.findIndex((item) => item.kind === "event" && item.recorded.event.type === type)
      const item = first.items[index]
      if (item?.kind !== "event") throw new Error(`there is no ${type}`)
      return [(item.recorded.at - struckAt) / 1000, ((first.arrivals[index] ?? 0) - struckAt) / 1000]
    }

    function note(type: string, noted: readonly Scene[]): number {
      const seconds = noted.map((scene) => secondsTo(type, scene))
      const texts = seconds.map(([stored, seen]) => `${stored} s (seen at another node after ${seen} s)`)
      measured.push(`${fault.name}: ${type} after ${texts.join(", ")}`)
      return Math.max(...seconds.map(([stored]) => stored))
    }

    async function untilTakenOver(): Promise<void> {
      const lost = working.map(sceneOf)
      await Promise.all(lost.map(({ first }) => first.until("a new owner", (at) => at.count("turn.adopted") > 0)))
      expect(note("turn.adopted", lost)).toBeLessThan(TAKEOVER_SECONDS)
    }

    beforeAll(async () => {
      tools.reset()
      const opened = await Promise.all(situations.map((situation) => Scene.open(situation, nodes, tools)))
      for (const [index, situation] of situations.entries()) {
        const scene = opened[index]
        if (scene !== undefined) scenes.set(situation, scene)
      }
      struckAt = Date.now()
      await fault.strike()
      if (fault.healsAtOnce === true) await fault.heal()
    }, 120_000)

    it("ends the turns that were streaming or had a tool, and makes every node ready again", async () => {
      if (fault.losesOwner) await untilTakenOver()
      tools.go()
      await Promise.all(working.map((situation) => sceneOf(situation).ended()))
      note("turn.ended", working.map(sceneOf))
      await fault.whileStruck?.()
      if (fault.healsAtOnce !== true) await fault.heal()
      await expectReady()
      expect(working.map((situation) => sceneOf(situation).first.count("turn.ended"))).toEqual([1, 1, 1])
    })

    it("leaves an approval open, which two nodes answer at once, and which counts once", async () => {
      const scene = sceneOf("a parked approval")
      expect(scene.first.count("approval.decided")).toBe(0)
      const visits = await Promise.all(nodes.others.map((node) => scene.visitAt(node)))
      await Promise.all(visits.map(({ visitor }) => visitor.next("write_confirmation_required")))
      for (const { visitor, visit } of visits)
        visitor.say({ action: "confirm_tool_action", requestId: "r2", sessionId: visit, approved: true })
      await scene.ended()
      expect(scene.first.count("approval.decided")).toBe(1)
      expect(tools.runs("transfer")).toBe(1)
    })

    it.for(situations)("keeps the history of %s whole at every node", async (situation) => {
      const scene = sceneOf(situation)
      const late = await SessionView.at(a, scene.sessionId)
      await late.until("the same history at the old owner", (at) => at.count("turn.ended") > 0)
      for (const view of [...scene.views, late]) {
        expect(view.events.map(({ seq }) => seq)).toEqual(view.events.map((_, index) => index + 1))
        expect(view.events).toEqual(late.events)
        expect(view.count("turn.ended")).toBe(1)
      }
      const results = ["tool.ended", "tool.refused", "tool.unsettled"].map((type) => late.count(type))
      expect(results.reduce((sum, count) => sum + count, 0)).toBe(late.count("tool.called"))
    })

    it("has streamed every word once", async () => {
      const { first } = sceneOf("streaming")
      const said = first.items.flatMap((item) =>
        item.kind === "event" && item.recorded.event.type === "text.ended" ? [item.recorded.event.text] : [],
      )
      expect(said.join("").trim()).toBe(spoken.trim())
      expect(first.inventedText()).toEqual([])
    })

    it("runs the unsafe tool once, and reports an unknown outcome", async () => {
      const { first } = sceneOf("an unsafe tool")
      expect(tools.runs("pay")).toBe(1)
      expect(first.count("tool.started")).toBe(1)
      // On a busy machine PostgreSQL may be away for longer than a lease.
      expect(fault.losesOwner ? [1] : [0, 1]).toContain(first.count("tool.unsettled"))
    })

    it("repeats the tool that reads if its node was lost", async () => {
      const { first } = sceneOf("a tool that reads")
      expect(first.count("tool.ended")).toBe(1)
      expect(tools.runs("look")).toBe(first.count("tool.started"))
    })

    it("leaves no process of a tool", async () => {
      const left = () => toolProcessesOf(a.place, tools.mark)
      for (const deadline = Date.now() + TOOLS_MS; left().length > 0 && Date.now() < deadline;) await sleep(100)
      expect(left()).toEqual([])
    })

    it("shows the visitor, who has come back at another node, the whole answer", async () => {
      const scene = sceneOf("streaming")
      const { visitor, visit } = scene.hasReturned ? await scene.returned : await scene.visitAt(nodes.others[0])
      const answer = await visitor.ask({ action: "get_conversation_messages", requestId: "m1", sessionId: visit })
      expect(JSON.stringify(answer).split(spoken.trim()).length).toBe(2)
      await visitor.close()
    })

    it("leaves every node able to run new turns, and every chain intact", async () => {
      await expectReady()
      for (const node of [a, ...nodes.others]) expect(await greet(node)).toBe("eventual_response")
      expect(await nodes.others[0].place.run("verify")).toMatchObject({ code: 0, stderr: "" })
    })

    async function expectReady(): Promise<void> {
      await Promise.all([a, ...nodes.others].map((node) => node.ready()))
    }
  })
})
