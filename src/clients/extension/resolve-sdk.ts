// Preloaded for extensions that run with the host's Node: makes `turnhouse/extension` importable from any folder, without
// an installation.
import { registerHooks } from "node:module"

const sdk = new URL("./index.ts", import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "turnhouse/extension" ? { url: sdk, shortCircuit: true } : next(specifier, context),
})
