// Loaded before an extension that runs with the Node of the host: `turnhouse/extension` can be imported from any folder,
// whether the package is installed there or not.
import { registerHooks } from "node:module"

const sdk = new URL("./index.ts", import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "turnhouse/extension" ? { url: sdk, shortCircuit: true } : next(specifier, context),
})
