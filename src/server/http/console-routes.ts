// The routes of the console: one page and its files. Places in the console are in the hash of its address, so the server
// knows none of them.
import type { Route } from "./http-server.ts"
import { staticFiles } from "./static-files.ts"

const absent =
  "The console is not built, so there is no page here. Run 'npm run build' in the folder of Turnhouse and reload this " +
  "page. 'turnhouse attach' shows the same sessions in a terminal."

export function consoleRoutes(folder: string): Readonly<Record<string, Route>> {
  const files = staticFiles({
    folder,
    prefix: "/",
    absent,
    policy: {
      "connect-src": "'self'",
      "img-src": "'self' data: blob:", // attachments
    },
  })
  return { "/": files, "/assets/": files, "/app/": files }
}
