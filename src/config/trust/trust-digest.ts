// Digest of a folder's project files and of what they make the host start or load.
import type { Environment } from "../home.ts"
import { digestTree } from "../tree-digest.ts"
import { namedFiles } from "./named-files.ts"
import { projectFilesIn, realPathOf } from "./project-files.ts"

export type ProjectDigest =
  | { readonly kind: "digest"; readonly digest: string }
  | { readonly kind: "unfit"; readonly what: string }

export async function digestProject(
  folder: string,
  home: string,
  env: Environment = process.env,
): Promise<ProjectDigest> {
  const names = configuringFiles(folder, home, env)
  const found = await digestTree({ folder, names, without: [realPathOf(home)], noun: "project files" })
  return found.kind === "digest" ? found : { kind: "unfit", what: `${folder} cannot be trusted: ${found.why}.` }
}

/** The named files are looked up last: a project file that is a pipe must not be opened. */
async function* configuringFiles(folder: string, home: string, env: Environment): AsyncGenerator<string> {
  yield* projectFilesIn(folder, home)
  yield* await namedFiles(folder, env)
}
