// The routes of the chat widget: its script, which pages of every origin may load because it holds no secret, and a demo page
// that embeds it.
import type { Route } from "./http-server.ts"
import type { HttpRequest, Reply } from "./request.ts"
import { staticFiles } from "./static-files.ts"

export interface WidgetRoutesOptions {
  /** The built widget. */
  readonly folder: string
  /** The agent that the demo page embeds; undefined if none is configured. */
  readonly agent: string | undefined
  /** Without tokens only: on the demo page a visitor has none. */
  readonly hasDemo: boolean
}

/** GET requests of every origin are answered. */
export const widgetScript = "/widget.js"

const absent = "The widget is not built. Run 'npm run build' in the folder of Turnhouse."
const noAgent =
  'The demo page shows the chat of an agent, and none is configured. Add one under "agents" in the configuration: docs/widget.md.'
const noDemo =
  "There is no demo page on this server, because its visitors need tokens (server.auth). Embed the widget in your own page: docs/widget.md."

/** A new version reaches every page within minutes, and a page never waits for the question whether there is one. */
const CACHED = "public, max-age=300, stale-while-revalidate=86400"

export function widgetRoutes({ folder, agent, hasDemo }: WidgetRoutesOptions): Readonly<Record<string, Route>> {
  const policy = { "connect-src": "'self'" }
  const files = staticFiles({ folder, prefix: "/", absent, policy })
  const page = agent === undefined ? undefined : (request: HttpRequest) => demoPage(files, request, agent)
  const demo: Route = (request) => {
    if (!hasDemo) return { status: 404, text: noDemo }
    if (page === undefined) return { status: 404, text: noAgent }
    return request.path === "/demo/" ? page(request) : files(request)
  }
  return { [widgetScript]: (request) => script(files, request), "/demo": demo, "/demo/": demo }
}

async function script(files: Route, request: HttpRequest): Promise<Reply> {
  const reply = await files(request)
  if (reply.status !== 200 && reply.status !== 304) return reply
  const shared = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" }
  return { ...reply, headers: { ...reply.headers, ...shared, "cache-control": CACHED } }
}

/** The page names the agent, so it is never the stored file. */
async function demoPage(files: Route, request: HttpRequest, agent: string): Promise<Reply> {
  const { "accept-encoding": _coding, "if-none-match": _tag, ...headers } = request.headers
  const reply = await files({ ...request, headers })
  if (reply.status !== 200 || reply.body === undefined) return reply
  const { etag: _etag, "content-length": _length, ...others } = reply.headers ?? {}
  const text = Buffer.from(reply.body)
    .toString("utf8")
    .replaceAll("{agent}", () => escaped(agent))
  return { ...reply, body: Buffer.from(text), headers: others }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

interface AgentProfile {
  readonly embed?: unknown
  readonly visibility?: string | undefined
}

/** The first agent for visitors, preferably one that any page of this machine may use. */
export function demoAgent(agents: Readonly<Record<string, AgentProfile>>): string | undefined {
  const visible = Object.entries(agents).filter(([, { visibility }]) => visibility !== "internal")
  const [id] = visible.find(([, { embed }]) => embed === undefined) ?? visible[0] ?? []
  return id
}
