// Preloaded for extensions that run with the host's Node: makes `turnhouse/extension` importable from any folder, without
// an installation.
import { registerHooks } from "node:module"

/** In a checkout beside this module; in an installed package among the libraries. */
const place = import.meta.url.endsWith(".ts") ? "./index.ts" : "../clients/extension.js"
const sdk = new URL(place, import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "turnhouse/extension" ? { url: sdk, shortCircuit: true } : next(specifier, context),
})
