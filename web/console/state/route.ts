// Places of the console, in the hash of its address: the server has one page for all of them.
import { signal, type ReadonlySignal } from "@preact/signals"
import { parseRoute, routeHash, type Route } from "./route-hash.ts"

export { routeHash, type Place, type Route } from "./route-hash.ts"

/** The address of the page as a signal. */
export function watchRoute(): ReadonlySignal<Route> {
  const route = signal(parseRoute(location.hash))
  addEventListener("hashchange", () => (route.value = parseRoute(location.hash)))
  return route
}

export function navigate(route: Route): void {
  location.hash = routeHash(route)
}
