// `turnhouse mcp ls|add|rm|login|logout|test`: the MCP servers of this folder and user.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"

const usage =
  "Use 'mcp ls', 'mcp add NAME URL', 'mcp add NAME -- COMMAND', 'mcp rm NAME', 'mcp login NAME', 'mcp logout NAME' or 'mcp test NAME'."

export async function run(args: Args): Promise<number> {
  const [action, name, ...rest] = args.positionals
  refuseStray(args, action)
  const [surplus] = rest
  if (action !== "add" && surplus !== undefined) throw usageFault(`unexpected argument '${surplus}'. ${usage}`)
  switch (action) {
    case "ls":
      if (name !== undefined) throw usageFault(`unexpected argument '${name}'. ${usage}`)
      return (await import("../../mcp/list.ts")).list(args)
    case "add":
      return (await import("../../mcp/edit.ts")).add(named(name, action), rest, args)
    case "rm":
      return (await import("../../mcp/edit.ts")).remove(named(name, action), args)
    case "login":
      return (await import("../../mcp/login.ts")).login(named(name, action), args)
    case "logout":
      return (await import("../../mcp/login.ts")).logout(named(name, action), args)
    case "test":
      return (await import("../../mcp/test-server.ts")).test(named(name, action), args)
    default:
      throw usageFault(action === undefined ? usage : `unknown action 'mcp ${action}'. ${usage}`)
  }
}

function named(name: string | undefined, action: string): string {
  if (name === undefined || name === "") throw usageFault(`name a server: turnhouse mcp ${action} NAME`)
  return name
}

const optionActions: Readonly<Record<string, readonly string[]>> = {
  env: ["add"],
  header: ["add"],
  trust: ["add"],
  shared: ["add"],
  force: ["add"],
  project: ["add", "rm"],
  device: ["login"],
  json: ["ls", "test"],
}

/** An option that has no effect is refused. */
function refuseStray(args: Args, action: string | undefined): void {
  for (const [option, actions] of Object.entries(optionActions)) {
    const isSet = args.flag(option) || args.texts(option).length > 0
    if (isSet && action !== undefined && !actions.includes(action))
      throw usageFault(`--${option} works only with 'mcp ${actions.join("' and 'mcp ")}'`)
  }
}
