// `turnhouse link`: creates addresses for browsers of the owner and for other people; lists and revokes them.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import type { AppContext } from "../../../app/context.ts"
import { openLan } from "../../../app/serve/lan.ts"
import {
  createLink,
  createSignIn,
  revokeLink,
  validLinks,
  type CreatedLink,
  type ShareLink,
  type SignIn,
} from "../../../app/serve/share-links.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Role } from "../../../contract/values.ts"
import type { Args } from "../../command.ts"
import { contextOf } from "../../context-options.ts"
import { printQrCode } from "../../print/qr-code.ts"
import { table, writeJson, type Columns } from "../../output.ts"
import { moment } from "../../../display/format.ts"

/** Options of a link for another person. Without them the owner signs in. */
const grants = ["role", "session", "for", "door"] as const
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
  const making = [...grants, "url"].filter((name) => args.text(name) !== undefined)
  const ways = [making.length > 0, args.flag("ls"), revoked !== undefined].filter((way) => way)
  if (ways.length > 1) throw usageFault("--ls and --revoke ID cannot be combined with other options")
  if (args.text("host") !== undefined && !args.flag("lan")) throw usageFault("--host needs --lan")
  if (args.flag("lan") && (args.text("url") !== undefined || args.text("door") === "ws"))
    throw usageFault("--lan cannot be combined with --url or --door ws")
  const context = await contextOf(args)
  if (args.flag("ls")) list(await validLinks(context), args.flag("json"))
  else if (revoked !== undefined) process.stdout.write(`revoked: ${await revokeLink(context, revoked)}\n`)
  else await create(args, context, args.flag("lan") ? await openedLan(args, context) : args.text("url"))
  return exitCodes.done
}

/** With --for alone, --lan limits how long the server is open, not what the link permits. */
async function create(args: Args, context: AppContext, url: string | undefined): Promise<void> {
  const isShared = grants.some((name) => args.text(name) !== undefined && !(name === "for" && args.flag("lan")))
  if (isShared) await show(await createLink(context, requestOf(args, url)), args.flag("json"))
  else await showSignIn(await createSignIn(context, url), args.flag("json"))
}

async function openedLan(args: Args, { home }: AppContext): Promise<string> {
  const { url, fingerprint, expiresAt } = await openLan(home, args.text("host"), secondsIn(args))
  printNotice(
    `Open to the local network until ${moment(expiresAt)}. The phone warns about the certificate, which is self-signed:`,
  )
  printNotice(`compare its SHA-256 fingerprint before you continue.\n${fingerprint}`)
  return url
}

function requestOf(args: Args, url: string | undefined) {
  const door = doorIn(args)
  const role = roleIn(args, door)
  const session = args.text("session")
  if (door === "ws" && session === undefined) throw usageFault("--door ws needs --session ID")
  return { door, role, session, url, seconds: secondsIn(args) }
}

function list(links: readonly ShareLink[], json: boolean): void {
  if (json) writeJson(links.map(shown))
  else process.stdout.write(links.length === 0 ? "No valid links.\n" : table(links, shownColumns))
}

async function show({ link, url, isLocal }: CreatedLink, json: boolean): Promise<void> {
  if (json) return writeJson({ ...shown(link), url: url.href })
  process.stdout.write(`${url.href}\n`)
  const where = link.sessionId === undefined ? "every session" : `session ${link.sessionId}`
  printNotice(
    `${link.role}, ${where}, until ${moment(link.expiresAt)}. 'turnhouse link --revoke ${link.id}' revokes it.`,
  )
  await showForPhone(url, isLocal)
}

/** A phone cannot reach an address of this machine only. */
async function showForPhone({ href }: URL, isLocal: boolean): Promise<void> {
  if (isLocal) printNotice("This address works on this machine only.")
  else await printQrCode(href)
}

async function showSignIn({ url, expiresAt, isLocal, isServed }: SignIn, json: boolean): Promise<void> {
  if (json) return writeJson({ url: url.href, expiresAt: new Date(expiresAt).toISOString() })
  process.stdout.write(`${url.href}\n`)
  printNotice("Signs one browser in as you, once, within 5 minutes. For other people use --role.")
  await showForPhone(url, isLocal)
  if (!isServed) printNotice("No server of this home runs: start 'turnhouse serve' before you open it.")
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
