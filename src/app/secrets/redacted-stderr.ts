// Everything that this process prints to stderr passes through here: warnings, the request log of the server, reports of
// crashes. The stderr of the background host and of the server ends up in files.
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import { secretsOf } from "../../secrets/find-secrets.ts"
import { createRedactor, type Redactor } from "../../secrets/redactor.ts"
import { openRedactor } from "./open-redactor.ts"

type Scrub = Pick<Redactor, "text">
type Done = (fault?: Error | null) => void

const scrubbers = new Set<Scrub>()
/** Made when something is printed: most commands print nothing. */
let makeScrubber: (() => Scrub) | undefined = () => environmentRedactor({})

export function redactStderr(): void {
  const { stderr } = process
  const write = stderr.write.bind(stderr)
  stderr.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done) => {
    const text = scrubbed(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"))
    return typeof encoding === "function" ? write(text, encoding) : write(text, encoding, done)
  }
}

/** From now on the secrets of this configuration are known. */
export function redactConfigured(home: string, config: Config): void {
  makeScrubber = () => configuredRedactor(home, config)
}

/** From now on this one is applied too: a host has sessions of several configurations. */
export function redactWith(scrubber: Scrub): void {
  scrubbers.add(scrubber)
}

function scrubbed(text: string): string {
  if (makeScrubber !== undefined) scrubbers.add(makeScrubber())
  makeScrubber = undefined
  return [...scrubbers].reduce((left, scrubber) => scrubber.text(left), text)
}

/** A home whose keys cannot be used must not keep us from saying so. */
function configuredRedactor(home: string, config: Config): Scrub {
  if (!existsSync(join(home, "secret.key"))) return environmentRedactor(config)
  try {
    return openRedactor(home, config)
  } catch {
    return environmentRedactor(config)
  }
}

function environmentRedactor(config: Config): Scrub {
  return createRedactor({ secrets: secretsOf({ env: process.env, config }), key: randomBytes(32) })
}
