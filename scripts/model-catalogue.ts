// Renews the bundled model catalogue, src/models/catalogue/bundled-data.ts, from the model data of a release of
// @earendil-works/pi-ai (MIT): `node scripts/model-catalogue.ts VERSION`. Only its data files are read; the package is no
// dependency, because it needs the SDKs of all vendors. The result is committed, one line per model.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isObject } from "../src/contract/json-object.ts"
import { catalogueProvider, type CatalogueFile } from "../src/models/catalogue/catalogue-file.ts"
import { isModelId, modelName, type CatalogueModel } from "../src/models/catalogue/catalogue-line.ts"
import { amount, listed, record, tokens, yesOrNo } from "../src/models/catalogue/foreign-values.ts"

const source = "@earendil-works/pi-ai"
const target = fileURLToPath(new URL("../src/models/catalogue/bundled-data.ts", import.meta.url))

const header = `// Written by scripts/model-catalogue.ts. Lines: see catalogue-line.ts.
import type { CatalogueFile } from "./catalogue-file.ts"

`

/** Offered only to the vendor's own programs, or not an API for models. */
const leftOut = new Set([
  "openai-codex",
  "radius",
  "typesafe",
  "github-copilot",
  "kimi-coding",
  "opencode",
  "opencode-go",
])

/** Vendors whose own API takes PDF files wherever a model sees images; the data does not say it. */
const readPdf = new Set(["anthropic", "openai", "azure", "google", "google-vertex"])

const [version] = process.argv.slice(2)
if (version === undefined) throw new Error("usage: node scripts/model-catalogue.ts VERSION")
const folder = mkdtempSync(join(tmpdir(), "model-catalogue-"))
try {
  const packed = execFileSync("npm", ["pack", `${source}@${version}`, "--silent"], {
    cwd: folder,
    encoding: "utf8",
  }).trim()
  execFileSync("tar", ["xzf", packed], { cwd: folder })
  const data = JSON.stringify(catalogue(join(folder, "package/dist/providers/data")), null, 1)
  writeFileSync(target, `${header}export const bundledData: CatalogueFile = ${data}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

function catalogue(data: string): CatalogueFile {
  const { generatedAt } = record(readJson(join(data, ".manifest.json")))
  if (typeof generatedAt !== "string") throw new Error("the data has no date")
  const names = readdirSync(data).flatMap((file) => /^([^.].*)\.json$/.exec(file)?.[1] ?? [])
  const kept = names.filter((name) => !leftOut.has(name) && !name.includes("token-plan"))
  const providers = kept.map((name) => [name, providerOf(name, readJson(join(data, `${name}.json`)))] as const)
  return {
    version: 1,
    source: `${source} ${version}`,
    date: generatedAt.slice(0, 10),
    providers: Object.fromEntries(providers),
  }
}

function providerOf(name: string, groups: unknown) {
  const entries = Object.values(record(groups)).flatMap((group) => Object.values(record(group)).filter(isObject))
  const models = entries
    .filter(({ type }) => type === "chat")
    .flatMap((entry) => modelOf(entry, readPdf.has(name)) ?? [])
  const hosts = entries.flatMap(({ baseUrl }) =>
    typeof baseUrl === "string" && URL.canParse(baseUrl) ? [new URL(baseUrl).host] : [],
  )
  return catalogueProvider(
    [...new Set(hosts)],
    models.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  )
}

function modelOf(entry: Readonly<Record<string, unknown>>, readsPdf: boolean): CatalogueModel | undefined {
  const { id, name, contextWindow, maxTokens } = entry
  if (typeof id !== "string" || !isModelId(id)) return undefined
  const images = listed(entry["input"])?.includes("image")
  return {
    id,
    name: typeof name === "string" ? modelName(name) : undefined,
    contextWindow: tokens(contextWindow),
    outputLimit: tokens(maxTokens),
    // The package lists models that call tools only.
    abilities: { images, thinking: yesOrNo(entry["reasoning"]), tools: true, pdf: readsPdf ? images : undefined },
    prices: pricesOf(record(entry["cost"]), id.endsWith(":free")),
  }
}

function pricesOf(cost: Readonly<Record<string, unknown>>, isFree: boolean): CatalogueModel["prices"] {
  const base = ratesOf(cost)
  // A price of 0 stands for one that is not known, such as that of a subscription.
  if (base === undefined || (base.input === 0 && base.output === 0 && !isFree)) return undefined
  const longer = (listed(cost["tiers"]) ?? []).flatMap((tier) => {
    const [inputAbove, prices] = [tokens(record(tier)["inputTokensAbove"]), ratesOf(record(tier))]
    return inputAbove === undefined || prices === undefined ? [] : [{ inputAbove, prices }]
  })
  return { base, longer }
}

function ratesOf(cost: Readonly<Record<string, unknown>>) {
  const [input, output] = [amount(cost["input"]), amount(cost["output"])]
  if (input === undefined || output === undefined) return undefined
  return {
    input,
    output,
    cacheRead: amount(cost["cacheRead"]) || undefined,
    cacheWrite5m: amount(cost["cacheWrite"]) || undefined,
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"))
}
