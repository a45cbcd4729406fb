// The manifests against the types and schemas of the Kubernetes API. Not applied: the tests do not need a cluster.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { parseConfigText } from "../../src/config/parse-config-text.ts"
import { valueAt } from "../../src/config/plain.ts"
import { checks } from "../../src/contract/generated/config.js"
import { environment } from "./dockerfile.ts"

const root = join(import.meta.dirname, "../..")
const source = join(root, "deploy/kubernetes")
const folder = mkdtempSync(join(tmpdir(), "turnhouse-kubernetes-"))

beforeAll(() => symlinkSync(join(root, "node_modules"), join(folder, "node_modules")))
afterAll(() => rmSync(folder, { recursive: true }))

/** YAML 1.1, as kubectl reads it. */
function read(file: string): readonly unknown[] {
  const documents = parseAllDocuments(readFileSync(join(source, file), "utf8"), { version: "1.1" })
  return documents.map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
}

const files = readdirSync(source).filter((name) => /\.yaml(\.example)?$/.test(name))
const all = files.flatMap(read)

function only(kind: string): unknown {
  const [found, ...others] = all.filter((manifest) => valueAt(manifest, ["kind"]) === kind)
  expect(others).toEqual([])
  return found
}

/** The compiler refuses unknown fields and wrong types; `validate` checks formats and patterns. */
function check(manifest: unknown): string {
  const [kind, version] = [String(valueAt(manifest, ["kind"])), String(valueAt(manifest, ["apiVersion"]))]
  const program = [
    `import { ${kind}, type I${kind} } from "kubernetes-models/${version}"`,
    `const manifest: I${kind} = ${JSON.stringify(manifest)}`,
    `new ${kind}(manifest).validate()`,
  ]
  const file = join(folder, "manifest.mts")
  writeFileSync(file, program.join("\n"))
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--ignoreConfig"]
  const compiled = spawnSync(join(root, "node_modules/.bin/tsc"), [...options, file], { encoding: "utf8" })
  const ran = spawnSync(process.execPath, [file], { encoding: "utf8" })
  return compiled.stdout + compiled.stderr + ran.stderr
}

describe("the Kubernetes manifests", () => {
  it.each(files)("%s has only what the Kubernetes API knows", (file) => {
    for (const manifest of read(file)) expect(check(manifest)).toBe("")
  })

  it.each([
    ["a misspelt field", /"readinessProbe"/, '"readinesProbe"', "readinesProbe"],
    ["a misspelt field of a field", /"failureThreshold"/, '"failureTreshold"', "failureTreshold"],
    ["a text for a number", /"replicas":3/, '"replicas":"3"', "replicas"],
    ["a missing field", /"selector":\{.*?\}\},/, "", "selector"],
  ])("are refused with %s", (_what, found, replacement, named) => {
    const changed = JSON.stringify(only("StatefulSet")).replace(found, replacement)
    expect(check(JSON.parse(changed))).toContain(named)
  })
})

describe("the nodes on Kubernetes", () => {
  const pod = valueAt(only("StatefulSet"), ["spec", "template", "spec"])
  const container = valueAt(pod, ["containers", "0"])

  it("get the time that draining needs before they are killed", () => {
    const pause = Number(valueAt(container, ["lifecycle", "preStop", "exec", "command", "1"]))
    const [grace, afterGrace] = [30, 5]
    expect(Number(valueAt(pod, ["terminationGracePeriodSeconds"]))).toBeGreaterThan(pause + grace + afterGrace)
  })

  it("are restarted only when the process hangs, and get clients only when ready", () => {
    const pathOf = (probe: string) => valueAt(container, [probe, "httpGet", "path"])
    expect(["startupProbe", "livenessProbe", "readinessProbe"].map(pathOf)).toEqual(["/healthz", "/healthz", "/readyz"])
  })

  it("run as the user of the image, below a volume, without the variables of services", () => {
    expect(pod).toMatchObject({ enableServiceLinks: false, securityContext: { runAsUser: 10001, fsGroup: 10001 } })
    expect(container).toMatchObject({ securityContext: { readOnlyRootFilesystem: true } })
    const home = String(valueAt(container, ["env", "0", "value"]))
    // Not the volume itself: it belongs to root, and a home of another user is refused.
    expect(home.startsWith(`${String(valueAt(container, ["volumeMounts", "0", "mountPath"]))}/`)).toBe(true)
    expect(environment()["TURNHOUSE_HOME"]).toBe(valueAt(container, ["volumeMounts", "0", "mountPath"]))
  })

  it("are selected by the services, the disruption budget and the network policy", () => {
    const labels = valueAt(only("StatefulSet"), ["spec", "template", "metadata", "labels"])
    const services = all.filter((manifest) => valueAt(manifest, ["kind"]) === "Service")
    expect(services.map((service) => valueAt(service, ["spec", "selector"]))).toEqual([labels, labels])
    expect(valueAt(only("PodDisruptionBudget"), ["spec", "selector", "matchLabels"])).toEqual(labels)
    expect(valueAt(only("NetworkPolicy"), ["spec", "podSelector", "matchLabels"])).toEqual(labels)
    const headless = services.find((service) => valueAt(service, ["spec", "clusterIP"]) === "None")
    expect(valueAt(only("StatefulSet"), ["spec", "serviceName"])).toBe(valueAt(headless, ["metadata", "name"]))
  })

  it("read a configuration in order, from where it is mounted", async () => {
    const parsed = await parseConfigText(String(valueAt(only("ConfigMap"), ["data", "config.json"])))
    expect(parsed.kind === "value" && checks.config(parsed.value)).toBe(true)
    const file = `${String(valueAt(container, ["volumeMounts", "1", "mountPath"]))}/config.json`
    expect(valueAt(container, ["args"])).toContain(file)
  })
})
