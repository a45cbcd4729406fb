// The part of package-lock.json that belongs to the embedding model, for `turnhouse install knowledge`.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { modelPackages } from "../../src/knowledge/model-packages.ts"
import { root } from "./programs.ts"

interface LockedPackage {
  readonly version: string
  readonly integrity: string
  readonly dependencies?: Readonly<Record<string, string>>
}

export function modelLock(): string {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
  const locked: Readonly<Record<string, LockedPackage>> = lock.packages
  const packages: Record<string, object> = {
    "": { dependencies: Object.fromEntries(modelPackages.map((name) => [name, "*"])) },
  }
  const add = (name: string): void => {
    const path = `node_modules/${name}`
    const found = locked[path]
    if (found === undefined) throw new Error(`package-lock.json: ${path} is missing`)
    if (path in packages) return
    const { version, integrity, dependencies = {} } = found
    packages[path] = { version, integrity, dependencies }
    for (const needed of Object.keys(dependencies)) add(needed)
  }
  for (const name of modelPackages) add(name)
  return JSON.stringify({ lockfileVersion: 3, packages }, undefined, 2)
}
