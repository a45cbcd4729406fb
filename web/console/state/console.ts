// What all parts of the page share.
import type { ReadonlySignal } from "@preact/signals"
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { openConnection, type Connection } from "./connection.ts"
import { watchRoute, type Route } from "./route.ts"

export interface Console {
  readonly connection: Connection
  readonly route: ReadonlySignal<Route>
}

export const ConsoleContext = createContext<Console | undefined>(undefined)

export function useConsole(): Console {
  const found = useContext(ConsoleContext)
  if (found === undefined) throw new Error("this part of the page is outside of ConsoleContext")
  return found
}

export function createConsole(): Console {
  const connection = openConnection()
  addEventListener("hashchange", () => {
    if (/^#(sign-in|key)=/.test(location.hash)) connection.restart()
  })
  return { connection, route: watchRoute() }
}
