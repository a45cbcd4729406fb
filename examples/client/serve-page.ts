// Serves the page beside this file. Types are stripped from the modules, so there is no build.
//
//   node examples/client/serve-page.ts [PORT]
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { stripTypeScriptTypes } from "node:module"
import { fileURLToPath } from "node:url"

const checkout = new URL("../../", import.meta.url)
/** Only modules of the client are served. */
const shown = /^\/src\/(?:clients\/(?:base|ws)|contract|protocols)(?:\/[\w-]+)*\/[\w-]+\.ts$/

const server = createServer((request, response) => {
  void answer(request.url ?? "/").then(({ status, type, text }) =>
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text),
  )
})
server.listen(Number(process.argv[2] ?? 8080), "127.0.0.1", () => {
  const address = server.address()
  console.log(`page at http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`)
})

async function answer(url: string): Promise<{ status: number; type: string; text: string }> {
  const { pathname } = new URL(url, "http://page.invalid")
  try {
    if (pathname === "/")
      return { status: 200, type: "text/html; charset=utf-8", text: await read("examples/client/page.html") }
    if (shown.test(pathname))
      return { status: 200, type: "text/javascript", text: stripTypeScriptTypes(await read(pathname.slice(1))) }
  } catch (fault) {
    console.error(fault)
  }
  return { status: 404, type: "text/plain", text: "not found" }
}

function read(path: string): Promise<string> {
  return readFile(fileURLToPath(new URL(path, checkout)), "utf8")
}
