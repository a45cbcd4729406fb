// Content types of the files that are served, by the ending of their names.
import { extname } from "node:path"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".cast": "application/x-asciicast; charset=utf-8",
  ".wasm": "application/wasm",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".mp3": "audio/mpeg",
  ".gz": "application/gzip",
}

/** A name that is not listed is served as bytes, which a browser does not show. */
export function contentType(name: string): string {
  return types[extname(name).toLowerCase()] ?? "application/octet-stream"
}

/** Text, which gets smaller when it is compressed. */
export function isText(type: string): boolean {
  return type.endsWith("charset=utf-8") || type === "application/wasm"
}
