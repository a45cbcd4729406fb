// `turnhouse link`: creates, lists and revokes share links.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { createLink, revokeLink, validLinks, type CreatedLink, type ShareLink } from "../../../app/serve/share-links.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Role } from "../../../contract/values.ts"
import type { Args } from "../../command.ts"
import { contextOf } from "../../context-options.ts"
import { moment, table, writeJson, type Columns } from "../../output.ts"

const usualSeconds = 3600
const MAX_SECONDS = 366 * 86_400

const shownColumns: Columns<ShareLink> = {
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
  if (args.flag("ls")) list(validLinks(context.home), args.flag("json"))
  else if (revoked === undefined) show(await createLink(context, requestOf(args)), args.flag("json"))
  else process.stdout.write(`revoked: ${revokeLink(context.home, revoked)}\n`)
  return exitCodes.done
}

function requestOf(args: Args) {
  const door = doorIn(args)
  const role = roleIn(args, door)
  const session = args.text("session")
  if (door === "ws" && session === undefined) throw usageFault("--door ws needs --session ID")
  return { door, role, session, url: args.text("url"), seconds: secondsIn(args) }
}

function list(links: readonly ShareLink[], json: boolean): void {
  if (json) writeJson(links.map(shown))
  else process.stdout.write(links.length === 0 ? "No valid links.\n" : table(links, shownColumns))
}

function show({ link, url, isLocal }: CreatedLink, json: boolean): void {
  if (json) return writeJson({ ...shown(link), url: url.href })
  process.stdout.write(`${url.href}\n`)
  const where = link.sessionId === undefined ? "every session" : `session ${link.sessionId}`
  printNotice(
    `${link.role}, ${where}, until ${moment(link.expiresAt)}. 'turnhouse link --revoke ${link.id}' revokes it.`,
  )
  if (isLocal) printNotice("This address works on this machine only.")
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
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds
  throw usageFault("--for: use a time up to a year, such as 90s, 1h or 7d")
}

function shown({ id, role, door, sessionId, issuedAt, expiresAt }: ShareLink) {
  const [from, until] = [issuedAt, expiresAt].map((at) => new Date(at).toISOString())
  return { id, role, door: door ?? "house", sessionId: sessionId ?? null, issuedAt: from, expiresAt: until }
}
