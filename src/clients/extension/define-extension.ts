// An extension as a process: frames on its standard streams, and an end. Standard output belongs to the frames from
// the moment it runs; whatever else is printed there comes out on standard error, which hosts keep as its log.
import type { ExtensionDefinition } from "./definition.ts"
import { serve } from "./serve.ts"

export interface DefinedExtension {
  readonly definition: ExtensionDefinition
  /** Answers its host until that says `shutdown` or is gone, then ends the process. */
  readonly run: () => Promise<never>
}

export function defineExtension(definition: ExtensionDefinition): DefinedExtension {
  return { definition, run: () => run(definition) }
}

async function run(definition: ExtensionDefinition): Promise<never> {
  const send = claimOutput()
  // What a handler has left running in the background must not take the answers of the others with it.
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
  // When the host is gone, whoever waits for a frame to be written hears of it; what is only printed is lost.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  return (frame) =>
    new Promise((resolve, reject) => {
      write(frame, (fault) => (fault ? reject(fault) : resolve()))
    })
}
