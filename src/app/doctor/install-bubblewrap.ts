// Offers to install bubblewrap, which hides the home folder from shell commands. Installs only after a yes at a terminal.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { findBwrap } from "../../processes/bwrap-trial.ts"

/** How the user is asked. */
export interface Confirmation {
  readonly canAsk: () => boolean
  readonly confirm: (question: string) => Promise<boolean>
}

export interface Installer {
  readonly isInstalled: () => boolean
  readonly command: () => readonly string[] | undefined
  readonly run: (command: readonly string[]) => Promise<boolean>
}

const packageManagers: Readonly<Record<string, readonly string[]>> = {
  "/usr/bin/apt-get": ["install", "-y"],
  "/usr/bin/dnf": ["install", "-y"],
  "/usr/bin/zypper": ["--non-interactive", "install"],
  "/usr/bin/pacman": ["-S", "--noconfirm"],
  "/sbin/apk": ["add"],
}

const systemInstaller: Installer = {
  isInstalled: () => findBwrap() !== undefined,
  command: installCommand,
  run: runInstaller,
}

/** True if it was installed. */
export async function offerBubblewrap(
  { canAsk, confirm }: Confirmation,
  { isInstalled, command, run }: Installer = systemInstaller,
): Promise<boolean> {
  if (isInstalled() || !canAsk()) return false
  const install = command()
  if (install === undefined) return false
  if (!(await confirm(`Install bubblewrap now (${install.join(" ")})?`))) return false
  return (await run(install)) && isInstalled()
}

/** For this distribution; nothing if its package manager is unknown. */
export function installCommand(
  exists: (path: string) => boolean = existsSync,
  isRoot: boolean = process.getuid?.() === 0,
): readonly string[] | undefined {
  if (process.platform !== "linux") return undefined
  const found = Object.entries(packageManagers).find(([path]) => exists(path))
  if (found === undefined) return undefined
  const [path, options] = found
  return [...(isRoot ? [] : ["sudo"]), path, ...options, "bubblewrap"]
}

function runInstaller([program = "", ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "inherit" })
    child.once("error", () => resolve(false))
    child.once("exit", (code) => resolve(code === 0))
  })
}
