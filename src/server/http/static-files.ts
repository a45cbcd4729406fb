// Serves the files of a folder, such as a built site, below a path of the server. Pages get a Content-Security-Policy that
// allows neither inline scripts and styles nor anything of another origin.
import { FolderSnapshot, type StaticFile, type StaticFiles } from "./folder-snapshot.ts"
import { contentType, isText } from "./content-type.ts"
import type { Route } from "./http-server.ts"
import type { HttpRequest, Reply } from "./request.ts"

export interface StaticFilesOptions {
  readonly folder: string
  /** Where the folder is on the server: begins and ends with a slash. */
  readonly prefix: string
  /** The text of the reply as long as the folder does not exist. */
  readonly absent: string
  /** Directives of the Content-Security-Policy: further ones, or in place of the default ones. */
  readonly policy?: Readonly<Record<string, string>>
  /** Headers: further ones, or in place of the default ones. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A path that ends with a slash is that of `index.html`. If there is a `404.html`, it is the page for unknown paths. */
export function staticFiles({ folder, prefix, absent, policy, headers }: StaticFilesOptions): Route {
  const snapshot = new FolderSnapshot(folder)
  const always = {
    "content-security-policy": policyText({ ...defaultPolicy, ...policy }),
    "referrer-policy": "no-referrer",
    ...headers,
  }
  return async (request) => {
    const files = await snapshot.files()
    if (files === undefined) return { status: 404, text: absent }
    const reply = await replyTo(files, request, prefix)
    return { ...reply, headers: { ...always, ...reply.headers } }
  }
}

const defaultPolicy: Readonly<Record<string, string>> = {
  "default-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'self'",
  "frame-ancestors": "'none'",
  "object-src": "'none'",
}

function policyText(policy: Readonly<Record<string, string>>): string {
  return Object.entries(policy)
    .map((directive) => directive.join(" "))
    .join("; ")
}

const IMMUTABLE = "public, max-age=31536000, immutable"

/** As bundlers name files in `assets/`: NAME-HASH.EXT, so the name changes with the content. */
const hashedName = /(?:^|\/)assets\/[^/]*-[\w-]{8}\.[a-z0-9]+$/

async function replyTo(files: StaticFiles, request: HttpRequest, prefix: string): Promise<Reply> {
  const path = decoded(request.path)
  if (path === undefined) return notFound(files, request)
  if (path === prefix.slice(0, -1)) return redirect(prefix)
  if (!path.startsWith(prefix)) return notFound(files, request)
  const name = path.slice(prefix.length)
  const page = name === "" || name.endsWith("/") ? `${name}index.html` : name
  const file = files.get(page)
  if (file !== undefined) return fileReply(file, page, request)
  return files.has(`${name}/index.html`) ? redirect(`${prefix}${encodeURI(name)}/`) : notFound(files, request)
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** `to` is the path of a folder that exists, so it cannot lead to another server. */
function redirect(to: string): Reply {
  return { status: 308, text: `See ${to}`, headers: { location: to } }
}

async function notFound(files: StaticFiles, request: HttpRequest): Promise<Reply> {
  const page = files.get("404.html")
  if (page === undefined) return { status: 404, text: "Not found." }
  const { "if-none-match": _, ...headers } = request.headers
  return { ...(await fileReply(page, "404.html", { ...request, headers })), status: 404 }
}

async function fileReply(file: StaticFile, name: string, { headers: asked }: HttpRequest): Promise<Reply> {
  const type = contentType(name)
  const isCompressed = isText(type) && acceptsGzip(asked["accept-encoding"])
  const etag = `"${file.digest}${isCompressed ? "-gzip" : ""}"`
  const headers = {
    etag,
    "cache-control": hashedName.test(name) ? IMMUTABLE : "no-cache",
    ...(isText(type) ? { vary: "accept-encoding" } : {}),
  }
  if (matches(asked["if-none-match"], etag)) return { status: 304, text: "", type, body: new Uint8Array(), headers }
  const body = isCompressed ? await file.gzipped() : file.bytes
  const encoding = isCompressed ? { "content-encoding": "gzip" } : {}
  return {
    status: 200,
    text: "",
    type,
    body,
    headers: { ...headers, ...encoding, "content-length": String(body.length) },
  }
}

function acceptsGzip(accepted: string | readonly string[] = ""): boolean {
  return String(accepted)
    .split(",")
    .some((coding) => {
      const [name = "", ...parameters] = coding.split(";").map((part) => part.trim().toLowerCase())
      return (name === "gzip" || name === "*") && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    })
}

function matches(condition = "", etag: string): boolean {
  const known = new Set(condition.split(",").map((tag) => tag.trim().replace(/^W\//, "")))
  return known.has(etag) || known.has("*")
}
