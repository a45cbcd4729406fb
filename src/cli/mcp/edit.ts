// `turnhouse mcp add` and `turnhouse mcp rm`: change the user's configuration, or that of the project.
import { AppFault, exitCodes, usageFault } from "../../app/app-fault.ts"
import { loadContextLeniently, type AppContext } from "../../app/context.ts"
import { addServer, removeServer, type ServerEntry } from "../../app/mcp/edit.ts"
import { listServers } from "../../app/mcp/list.ts"
import { printNotice } from "../../app/terminal.ts"
import type { Args } from "../command.ts"

export async function add(name: string, words: readonly string[], args: Args): Promise<number> {
  const entry = entryOf(words, args)
  const { home } = await loadContextLeniently() // a faulty configuration can be corrected with it
  const cwd = process.cwd()
  const isProject = args.flag("project")
  const { file, secrets } = await addServer({ home, cwd, isProject, name, entry, replaces: args.flag("force") })
  process.stdout.write(`added ${name} to ${file}\n`)
  for (const place of secrets)
    printNotice(
      `turnhouse: ${place} seems to be a secret and is now in ${file} as plain text. Write \${VARIABLE} in its place, in single quotes.`,
    )
  if (isProject) printNotice("turnhouse: turnhouse.json is used after 'turnhouse trust'")
  printNotice(`'turnhouse mcp test ${name}' tries it.`)
  return exitCodes.done
}

function entryOf([first, ...rest]: readonly string[], args: Args): ServerEntry {
  if (first === undefined)
    throw usageFault("name an address or a command: turnhouse mcp add NAME URL, or turnhouse mcp add NAME -- COMMAND")
  const flags = {
    ...(args.flag("trust") ? { trust: true } : {}),
    ...(args.flag("shared") ? { shared: true } : {}),
  }
  const env = pairs(args.texts("env"), "=", "--env K=V")
  const headers = pairs(args.texts("header"), ":", "--header K:V")
  if (first.includes("://") || first.startsWith("${")) {
    if (rest[0] !== undefined) throw usageFault(`unexpected argument '${rest[0]}' after the address`)
    if (env !== undefined) throw usageFault("--env works only with a command")
    return { url: first, ...(headers === undefined ? {} : { headers }), ...flags }
  }
  if (headers !== undefined) throw usageFault("--header works only with an address")
  return { command: first, args: [...rest], ...(env === undefined ? {} : { env }), ...flags }
}

/** Values are not shown: they may be secrets. */
function pairs(texts: readonly string[], separator: string, form: string): Record<string, string> | undefined {
  if (texts.length === 0) return undefined
  return Object.fromEntries(
    texts.map((text, at) => {
      const end = text.indexOf(separator)
      if (end < 1) throw usageFault(`${form}: value ${at + 1} has no '${separator}' after a name`)
      return [text.slice(0, end).trim(), text.slice(end + 1).trim()]
    }),
  )
}

export async function remove(name: string, args: Args): Promise<number> {
  const context = await loadContextLeniently()
  const place = { home: context.home, cwd: process.cwd() }
  const removed = await removeServer({ ...place, isProject: args.flag("project"), name })
  if (removed === undefined) throw await notThere(name, context)
  process.stdout.write(`removed ${name} from ${removed.file}\n`)
  if (removed.loginUrl !== undefined)
    printNotice(`turnhouse: its login is still stored; 'turnhouse mcp logout ${removed.loginUrl}' removes it`)
  return exitCodes.done
}

async function notThere(name: string, context: AppContext): Promise<AppFault> {
  const { servers } = await listServers(context)
  const source = servers.find((server) => server.name === name)?.source
  if (source === undefined) return usageFault(`no MCP server is named "${name}". 'turnhouse mcp ls' lists them.`)
  const how = source.endsWith("/turnhouse.json") ? "Use --project" : "Remove it there"
  return new AppFault(`MCP server "${name}" is defined in ${source}. ${how}.`)
}
