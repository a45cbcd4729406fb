// The alert rules and their own tests, as promtool reads them, and the metrics that they name.
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import { parse } from "yaml"
import { valueAt } from "../../src/config/plain.ts"
import { needPackage } from "../need-package.ts"

const root = join(import.meta.dirname, "../..")
const source = join(root, "deploy/monitoring")
const rules = readFileSync(join(source, "alerts.yaml"), "utf8")

beforeAll(() => needPackage("promtool", "prometheus"), 600_000)

/** promtool on a copy of the folder, in which the rules can be changed. */
function promtool(test: TestContext, args: readonly string[], changed = rules) {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-alerts-"))
  test.onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(source, folder, { recursive: true })
  writeFileSync(join(folder, "alerts.yaml"), changed)
  writeFileSync(join(folder, "turnhouse.key"), "lnk_key")
  const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: folder, encoding: "utf8" })
  return { status, output: stdout + stderr }
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const alerts = list(valueAt(parse(rules), ["groups"])).flatMap((group) => list(valueAt(group, ["rules"])))

describe("the alert rules", () => {
  it("and the configuration of Prometheus are accepted by promtool", (test) => {
    expect(promtool(test, ["check", "rules", "alerts.yaml"])).toMatchObject({ status: 0 })
    expect(promtool(test, ["check", "config", "prometheus.yaml"])).toMatchObject({ status: 0 })
    const misspelt = rules.replace("expr:", "exp:")
    expect(promtool(test, ["check", "rules", "alerts.yaml"], misspelt)).toMatchObject({ status: 1 })
  })

  it("fire for their causes and not otherwise", (test) => {
    expect(promtool(test, ["test", "rules", "alerts-tests.yaml"])).toMatchObject({ status: 0 })
  })

  const names = alerts.map((alert) => String(valueAt(alert, ["alert"])))

  it.for(names)("%s has a test that fails without it", (name, test) => {
    const silenced = parse(rules, (_key, value: unknown) =>
      valueAt(value, ["alert"]) === name ? { alert: name, expr: "vector(0) > 1" } : value,
    )
    const { status, output } = promtool(test, ["test", "rules", "alerts-tests.yaml"], JSON.stringify(silenced))
    expect({ status, output }).toMatchObject({ status: 1, output: expect.stringContaining(`alertname: ${name}`) })
  })

  it("name only metrics that are documented", () => {
    const pages = ["websocket-api", "cluster"].map((name) => readFileSync(join(root, `docs/${name}.md`), "utf8"))
    const documented = new Set(pages.join("\n").match(/turnhouse_[a-z_]+/g))
    const used = alerts.flatMap((alert) => String(valueAt(alert, ["expr"])).match(/turnhouse_[a-z_]+/g) ?? [])
    expect(used.length).toBeGreaterThan(10)
    for (const metric of used) expect(documented).toContain(metric.replace(/_bucket$/, ""))
  })

  it("are explained in the page on clusters", () => {
    const page = readFileSync(join(root, "docs/cluster.md"), "utf8")
    for (const name of names) expect(page).toContain(`\`${name}\``)
  })
})
