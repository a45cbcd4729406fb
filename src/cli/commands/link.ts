// `turnhouse link`: the address of /house with a key in it, for a client that may watch, drive or approve. Also lists the
// links that are valid, and revokes one.
import { isLoopbackHost } from "../../doors/http/loopback.ts"
import { LinkBook } from "../../identity/link-book.ts"
import { linkKey, newLinkId, type Link } from "../../identity/link-key.ts"
import type { Role } from "../../contract/values.ts"
import { byBeginning } from "../by-beginning.ts"
import { CliFault, usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { openLog } from "../compose.ts"
import { consoleKey } from "../console-key.ts"
import { exitCodes } from "../exit-codes.ts"
import { linkUrl } from "../serve/link-url.ts"
import { sessionNamed } from "../sessions.ts"
import { surroundings, type Surroundings } from "../surroundings.ts"
import { table } from "../table.ts"
import { say } from "../terminal.ts"
import { moment } from "../times.ts"
import { writeJson } from "../write-json.ts"

const usualSeconds = 3600
const mostSeconds = 366 * 86_400

export async function run(args: Args): Promise<number> {
  const revoked = args.text("revoke")
  const making = ["role", "session", "for", "url"].filter((name) => args.text(name) !== undefined)
  const ways = [making.length > 0, args.flag("ls"), revoked !== undefined].filter((way) => way)
  if (ways.length > 1) throw usageFault("make a link, or name --ls, or --revoke ID")
  const around = await surroundings({ configFile: args.text("config"), profile: args.text("profile") })
  const book = new LinkBook(around.home)
  if (args.flag("ls")) return list(book, args.flag("json"))
  return revoked === undefined ? make(args, around, book) : revoke(book, revoked)
}

async function make(args: Args, around: Surroundings, book: LinkBook): Promise<number> {
  const role = roleIn(args)
  const sessionId = await sessionIn(args, around)
  const now = Date.now()
  const url = linkUrl(args, around.home, around.config)
  const expiresAt = now + secondsIn(args) * 1000
  const link: Link = {
    id: newLinkId(),
    role,
    ...(sessionId === undefined ? {} : { sessionId }),
    issuedAt: now,
    expiresAt,
  }
  url.hash = `key=${linkKey(consoleKey(around.home), link)}`
  book.add(link)
  if (args.flag("json")) writeJson({ ...shown(link), url: url.href })
  else show(link, url)
  return exitCodes.done
}

function show(link: Link, url: URL): void {
  process.stdout.write(`${url.href}\n`)
  const where = link.sessionId === undefined ? "every session" : `session ${link.sessionId}`
  say(`${link.role}, ${where}, until ${moment(link.expiresAt)}. 'turnhouse link --revoke ${link.id}' calls it back.`)
  if (isLoopbackHost(url.host)) say("It works on this machine only: others cannot reach this address.")
}

function roleIn(args: Args): Role {
  const role = args.text("role") ?? "watch"
  if (role === "watch" || role === "drive" || role === "approve") return role
  throw usageFault(`--role takes watch, drive or approve, not '${role}'`)
}

function secondsIn(args: Args): number {
  const seconds = args.seconds("for") ?? usualSeconds
  if (seconds > 0 && seconds <= mostSeconds) return seconds
  throw usageFault("--for takes a time up to a year, such as 90s, 1h or 7d")
}

async function sessionIn(args: Args, { home }: Surroundings): Promise<string | undefined> {
  const wanted = args.text("session")
  if (wanted === undefined) return undefined
  const log = openLog(home)
  try {
    return (await sessionNamed(log, wanted)).sessionId
  } finally {
    await log.close()
  }
}

function list(book: LinkBook, json: boolean): number {
  const links = book.list(Date.now())
  const rows = links.map(({ id, role, sessionId, expiresAt }) => [id, role, sessionId ?? "all", moment(expiresAt)])
  if (json) writeJson(links.map(shown))
  else process.stdout.write(rows.length === 0 ? "No link is good.\n" : table(["ID", "ROLE", "SESSION", "UNTIL"], rows))
  return exitCodes.done
}

function revoke(book: LinkBook, wanted: string): number {
  const found = byBeginning(book.list(Date.now()), "lnk_", wanted, ({ id }) => id)
  if (found.kind === "several")
    throw usageFault(`${wanted} is the beginning of several links; 'turnhouse link --ls' lists them`)
  if (found.kind === "none" || !book.revoke(found.item.id))
    throw new CliFault(`there is no link ${wanted}; 'turnhouse link --ls' lists them`, exitCodes.failed)
  process.stdout.write(`called back: ${found.item.id}\n`)
  return exitCodes.done
}

function shown({ id, role, sessionId, issuedAt, expiresAt }: Link) {
  const [from, until] = [issuedAt, expiresAt].map((at) => new Date(at).toISOString())
  return { id, role, sessionId: sessionId ?? null, issuedAt: from, expiresAt: until }
}
