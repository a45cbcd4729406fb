// How a user starts this program: by its name where the PATH leads to it, else by the path of its launcher.
import { existsSync } from "node:fs"
import { delimiter, join, relative } from "node:path"
import { launcherFile } from "../../program/program-files.ts"

export function programName(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  if (folders.some((folder) => existsSync(join(folder, "turnhouse")))) return "turnhouse"
  const near = relative(process.cwd(), launcherFile)
  return near.startsWith("..") ? launcherFile : near
}
