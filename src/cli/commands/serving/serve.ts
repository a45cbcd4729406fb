// `turnhouse serve`: a host in the foreground with the HTTP and WebSocket server.
import { usageFault } from "../../../app/app-fault.ts"
import { serve } from "../../../app/serve/serve.ts"
import type { Args } from "../../command.ts"
import { contextOf, sessionRequest } from "../../context-options.ts"

const defaultGraceSeconds = 30

export async function run(args: Args): Promise<number> {
  const graceMs = (args.seconds("grace") ?? defaultGraceSeconds) * 1000
  const context = await contextOf(args)
  const { origin: _, ...place } = sessionRequest(args, { cwd: context.cwd, origin: "ws" })
  return serve(context, {
    host: args.text("host"),
    port: portIn(args),
    isQuiet: args.flag("quiet"),
    printsLink: args.flag("link"),
    graceMs,
    place,
  })
}

function portIn(args: Args): number | undefined {
  const text = args.text("port")
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw usageFault(`--port: '${text}' is not a port. Use a number from 0 to 65535.`)
}
