// `turnhouse completion SHELL`: prints a completion script, made from the command tables.
import { usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { commands } from "../../commands.ts"
import { bashCompletion } from "../../completion/bash.ts"
import { described } from "../../completion/described.ts"
import { fishCompletion } from "../../completion/fish.ts"
import { zshCompletion } from "../../completion/zsh.ts"

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

export async function run(args: Args): Promise<number> {
  const [shell] = args.positionals
  if (shell === undefined || !isShell(shell)) throw usageFault(`name a shell: ${Object.keys(scripts).join(", ")}`)
  process.stdout.write(scripts[shell](described(commands)))
  return exitCodes.done
}

function isShell(name: string): name is keyof typeof scripts {
  return Object.hasOwn(scripts, name)
}
