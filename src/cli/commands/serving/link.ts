// `turnhouse link`: creates, lists and revokes share links.
import { isLoopbackHost } from "../../../server/http/loopback.ts"
import { LinkStore } from "../../../identity/link-store.ts"
import { createLinkKey, newLinkId, type Link } from "../../../identity/link-key.ts"
import type { Role } from "../../../contract/values.ts"
import { findByPrefix } from "../../find-by-prefix.ts"
import { AppFault, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { contextOf } from "../../context-options.ts"
import { openLog } from "../../../app/compose.ts"
import { consoleKey } from "../../../app/secrets/console-key.ts"
import { linkUrl } from "../../../app/serve/link-url.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import type { AppContext } from "../../../app/context.ts"
import { table, type Columns, writeJson, moment } from "../../output.ts"
import { printNotice } from "../../../app/terminal.ts"

const usualSeconds = 3600
const mostSeconds = 366 * 86_400

const shownColumns: Columns<Link> = {
  ID: ({ id }) => id,
  ROLE: ({ role }) => role,
  DOOR: ({ door }) => door ?? "house",
  SESSION: ({ sessionId }) => sessionId ?? "all",
  UNTIL: ({ expiresAt }) => moment(expiresAt),
}

export async function run(args: Args): Promise<number> {
  const revoked = args.text("revoke")
  const making = ["role", "session", "for", "url", "door"].filter((name) => args.text(name) !== undefined)
  const ways = [making.length > 0, args.flag("ls"), revoked !== undefined].filter((way) => way)
  if (ways.length > 1) throw usageFault("--ls and --revoke ID cannot be combined with other options")
  const context = await contextOf(args)
  const book = new LinkStore(context.home)
  if (args.flag("ls")) return list(book, args.flag("json"))
  return revoked === undefined ? make(args, context, book) : revoke(book, revoked)
}

async function make(args: Args, context: AppContext, book: LinkStore): Promise<number> {
  const door = doorIn(args)
  const role = roleIn(args, door)
  const sessionId = await sessionIn(args, context)
  const now = Date.now()
  if (door === "ws" && sessionId === undefined) throw usageFault("--door ws needs --session ID")
  const url = linkUrl(args.text("url"), context.home, context.config, door ?? "house")
  const expiresAt = now + secondsIn(args) * 1000
  const link: Link = {
    id: newLinkId(),
    role,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(door === undefined ? {} : { door }),
    issuedAt: now,
    expiresAt,
  }
  const key = createLinkKey(consoleKey(context.home), link)
  if (door === "ws") url.searchParams.set("token", key)
  else url.hash = `key=${key}`
  book.add(link)
  if (args.flag("json")) writeJson({ ...shown(link), url: url.href })
  else show(link, url)
  return exitCodes.done
}

function show(link: Link, url: URL): void {
  process.stdout.write(`${url.href}\n`)
  const where = link.sessionId === undefined ? "every session" : `session ${link.sessionId}`
  printNotice(
    `${link.role}, ${where}, until ${moment(link.expiresAt)}. 'turnhouse link --revoke ${link.id}' revokes it.`,
  )
  if (isLoopbackHost(url.host)) printNotice("This address works on this machine only.")
}

function doorIn(args: Args): "ws" | undefined {
  const door = args.text("door") ?? "house"
  if (door === "house" || door === "ws") return door === "ws" ? door : undefined
  throw usageFault(`--door: '${door}' is not a door. Use house or ws.`)
}

/** The WebSocket API has only the role drive. */
function roleIn(args: Args, door: "ws" | undefined): Role {
  const role = args.text("role") ?? (door === "ws" ? "drive" : "watch")
  if (door === "ws" && role !== "drive") throw usageFault(`--door ws: the role must be drive, not '${role}'`)
  if (role === "watch" || role === "drive" || role === "approve") return role
  throw usageFault(`--role: '${role}' is not a role. Use watch, drive or approve.`)
}

function secondsIn(args: Args): number {
  const seconds = args.seconds("for") ?? usualSeconds
  if (seconds > 0 && seconds <= mostSeconds) return seconds
  throw usageFault("--for: use a time up to a year, such as 90s, 1h or 7d")
}

async function sessionIn(args: Args, { home }: AppContext): Promise<string | undefined> {
  const wanted = args.text("session")
  if (wanted === undefined) return undefined
  const log = openLog(home)
  try {
    return (await sessionNamed(log, wanted)).sessionId
  } finally {
    await log.close()
  }
}

function list(book: LinkStore, json: boolean): number {
  const links = book.list(Date.now())
  if (json) writeJson(links.map(shown))
  else process.stdout.write(links.length === 0 ? "No valid links.\n" : table(links, shownColumns))
  return exitCodes.done
}

function revoke(book: LinkStore, wanted: string): number {
  const found = findByPrefix(book.list(Date.now()), "lnk_", wanted, ({ id }) => id)
  if (found.kind === "several") throw usageFault(`'${wanted}' matches several links. 'turnhouse link --ls' lists them.`)
  if (found.kind === "none" || !book.revoke(found.item.id))
    throw new AppFault(`no valid link has the id '${wanted}'. 'turnhouse link --ls' lists them.`)
  process.stdout.write(`revoked: ${found.item.id}\n`)
  return exitCodes.done
}

function shown({ id, role, door, sessionId, issuedAt, expiresAt }: Link) {
  const [from, until] = [issuedAt, expiresAt].map((at) => new Date(at).toISOString())
  return { id, role, door: door ?? "house", sessionId: sessionId ?? null, issuedAt: from, expiresAt: until }
}
