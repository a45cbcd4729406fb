// Runs an extension as a process that speaks the protocol on stdin and stdout. Everything else that is printed goes to
// stderr, which hosts keep as its log.
import type { ExtensionDefinition } from "./definition.ts"
import { serve } from "./serve.ts"

export interface DefinedExtension {
  readonly definition: ExtensionDefinition
  /** Serves the host until `shutdown` or until the host is gone, then exits. */
  readonly run: () => Promise<never>
}

export function defineExtension(definition: ExtensionDefinition): DefinedExtension {
  return { definition, run: () => run(definition) }
}

async function run(definition: ExtensionDefinition): Promise<never> {
  const send = claimOutput()
  // Background work of one handler must not end the process and with it the answers of the others.
  process.on("unhandledRejection", (fault) => console.error(fault))
  try {
    await serve(definition, { input: process.stdin, send })
  } catch (fault) {
    console.error(fault)
    process.exit(1)
  }
  process.exit(0)
}

function claimOutput(): (frame: string) => Promise<void> {
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr)
  // When the host is gone, `send` rejects; printed text is lost.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  return (frame) =>
    new Promise((resolve, reject) => {
      write(frame, (fault) => (fault ? reject(fault) : resolve()))
    })
}
