// The temporary homes of a proof, and the report of what a proof finds in one.
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Workspace } from "../demo/workspace.ts"
import type { ProofFolder } from "./run-proof.ts"
import type { Report } from "./violation.ts"

/** Without a configuration. Compiled code is shared by all homes of the proof. `variables`: of all its programs. */
export function proofHome(
  { root, cache }: Pick<ProofFolder, "root" | "cache">,
  name: string,
  variables: Readonly<Record<string, string>> = {},
): Workspace {
  mkdirSync(join(root, name))
  const workspace = new Workspace(join(root, name), variables)
  mkdirSync(workspace.path("folder"))
  symlinkSync(cache, workspace.path("home/cache"))
  return workspace
}

export function reportIn({ add }: Pick<ProofFolder, "add">, { home }: Workspace): Report {
  return (kind, event, what) => add({ kind, event, what, home })
}
