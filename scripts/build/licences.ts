// The licences of the packages whose code is in dist/.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { bundledData } from "../../src/models/catalogue/bundled-data.ts"

/** `modules` are absolute paths. */
export function thirdPartyLicences(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))
  const texts = [...folders].map(licenceOf).toSorted()
  const data = `## ${bundledData.source} (MIT)\n\nThe list of models is made from its data; none of its code is contained.\n`
  return `dist/ contains code of these packages.\n\n${[...texts, data].join("\n")}`
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)(\..*)?$/i.test(file))
  const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n")
  return `## ${name} ${version} (${license})\n\n${text}\n`
}
