// Resolves paths relative to the file that contains them. The table lists every path of the configuration; a command is a
// path only with a slash, and a public key only if it looks like a file.
import { isObject } from "../contract/json-object.ts"
import { dirname, isAbsolute, resolve } from "node:path"
import { type Environment, withUserHome } from "./home.ts"
import { type Path } from "./plain.ts"

const always = () => true
const paths: readonly (readonly [pattern: Path, isFile: (text: string) => boolean])[] = [
  [["extensions", "paths", "*"], always],
  [["skills", "paths", "*"], always],
  [["ipc", "dir"], always],
  [["locks", "file"], always],
  [["node", "labels", "*", "*"], always],
  [["server", "tls", "cert"], always],
  [["server", "tls", "key"], always],
  [["server", "auth", "publicKey"], looksLikeFile],
  [["server", "auth", "jwks"], looksLikeFile],
  [["tools", "define", "*", "run", "0"], (text) => text.includes("/")],
  [["tools", "format", "*", "0"], (text) => text.includes("/")],
  [["tools", "languageServers", "*", "command", "0"], (text) => text.includes("/")],
  [["mcpServers", "*", "command"], (text) => text.includes("/") && !text.startsWith("${")],
]

export function resolvePaths(value: unknown, file: string, env: Environment): unknown {
  const base = dirname(file)
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(base, withUserHome(path, env)))
  return paths.reduce((inner, [pattern, isFile]) => {
    return mapAt(inner, pattern, (found) => (typeof found === "string" && isFile(found) ? absolute(found) : found))
  }, value)
}

function mapAt(value: unknown, [key, ...rest]: Path, map: (found: unknown) => unknown): unknown {
  if (key === undefined) return map(value)
  const inside = (name: string, item: unknown) => (key === "*" || key === name ? mapAt(item, rest, map) : item)
  if (Array.isArray(value)) return value.map((item: unknown, at) => inside(String(at), item))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inside(name, item)]))
}

/** Neither a key nor an address. */
function looksLikeFile(text: string): boolean {
  if (text.includes("\n") || text.includes("-----BEGIN") || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return false
  return /^(~|\.{1,2})?\//.test(text) || /\.(pem|pub|key|crt|cer|der|json|jwk|jwks)$/i.test(text)
}
