// What a node of a cluster does at its start when a server is away, or its name or keys are not what they must be.
import { copyFileSync } from "node:fs"
import { randomUUID } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { Cluster, type ClusterNode } from "./cluster.ts"
import { greet, Tools } from "./situations.ts"

describe("a node that starts", () => {
  const tools = new Tools(join(tmpdir(), `turnhouse-starts-${randomUUID()}`))
  let cluster: Cluster
  let a: ClusterNode

  beforeAll(async () => {
    cluster = await Cluster.start(tools.config())
    a = await cluster.node("a")
  })
  afterAll(async () => {
    await cluster.close()
    tools.remove()
  })

  /** A home with the servers of the node, before its first start. */
  function homeLike(test: Parameters<typeof newPlace>[0], name: string, store = a.store.port) {
    const place = newPlace(test)
    const url = new URL(cluster.storeUrl)
    url.port = String(store)
    place.config({ store: { type: "postgres", url: url.href }, node: { name } })
    return place
  }

  it("is refused under the name of a node that runs", async (test) => {
    const place = homeLike(test, "a")
    for (const file of ["secret.key", "console.key"]) copyFileSync(join(a.place.home, file), join(place.home, file))
    const { code, stderr } = await place.run("serve", "--port", "0")
    expect(code).not.toBe(0)
    expect(stderr).toContain("already running")
  })

  it("is refused with other keys than those of the cluster", async (test) => {
    const { code, stderr } = await homeLike(test, "b").run("serve", "--port", "0")
    expect(code).not.toBe(0)
    expect(stderr).toContain("this node's secret.key is not the key of the cluster")
  })

  it.for([["serve", "--port", "0"], ["run", "hello"], ["rpc"], ["ls"]])(
    "says that PostgreSQL cannot be reached, and exits: %s",
    async (args, test) => {
      const { code, stderr } = await homeLike(test, "c", 1).run(...args)
      expect(code).not.toBe(0)
      expect(stderr).toContain("cannot be reached")
    },
  )

  it("works without NATS, and joins when it is there", async () => {
    await cluster.nats.process.stop("SIGKILL")
    const d = await cluster.node("d")
    expect(await greet(d)).toBe("eventual_response")
    await cluster.nats.start()
    expect(await greet(d)).toBe("eventual_response")
  })
})
