// Short slices of the proofs that run on a cluster.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startNats, type NatsServer } from "../../src/testing/servers/nats-server.ts"
import { startPostgres, type PostgresServer } from "../../src/testing/servers/postgres-server.ts"
import { newPlace, program } from "../e2e/turnhouse.ts"
import { countsIn, leftBehind, startProof } from "../prove/place.ts"

describe("turnhouse prove on a cluster", () => {
  let postgres: PostgresServer
  let nats: NatsServer
  let store: string

  beforeAll(async () => {
    ;[postgres, nats] = await Promise.all([startPostgres(), startNats()])
    store = postgres.createDatabase()
  })
  afterAll(() => Promise.all([postgres.remove(), nats.stop()]))

  it.for([
    ["crash", "kills", 6],
    ["cuts", "cuts", 30],
  ] as const)("%s: finds every promise kept, and leaves nothing behind", async ([proof, unit, least], test) => {
    const place = newPlace(test)
    const servers = ["--store", store, "--bus", nats.url]
    const ended = await startProof(
      place,
      program,
      proof,
      ...servers,
      `--${unit}`,
      String(least),
      "--seed",
      "1",
      "--json",
    ).ended
    expect({ code: ended.code, stderr: ended.stderr, stdout: ended.stdout }).toMatchObject({ code: 0, stderr: "" })
    const { [unit]: count, ...others } = countsIn(ended)
    expect(others).toEqual({ lost: 0, doubled: 0, broken: 0 })
    expect(count).toBeGreaterThanOrEqual(least)
    expect(await leftBehind(place)).toEqual([])
    expect(postgres.query("select count(*) from pg_database where datname like 'turnhouse_prove_%'")).toBe("0")
  })

  it("refuses a user who may not create databases", async (test) => {
    postgres.query("create role reader login")
    const url = store.replace("turnhouse@", "reader@")
    const { code, stderr } = await startProof(newPlace(test), program, "crash", "--store", url, "--kills", "1").ended
    expect(code).toBe(1)
    expect(stderr).toContain("permission denied to create database")
    expect(stderr).toContain("use a user with CREATEDB")
  })

  it.for([
    [["cuts", "--store", "postgres://h/db"], "the nodes need --bus"],
    [["crash", "--bus", "nats://h"], "Add --store"],
    [["locks", "--store", "postgres://h/db"], "'locks' does not run on a cluster. Use crash or cuts."],
    [["all", "--store", "postgres://h/db"], "'all' does not run on a cluster. Use crash or cuts."],
    [["crash", "--store", "mysql://h/db"], "not an address of PostgreSQL"],
  ] as const)("refuses %s", async ([args, message], test) => {
    const { code, stderr } = await newPlace(test).run("prove", ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
