// Path and text of every generated file, made from the schemas.
import { contractArtefacts } from "./artefacts/contract.ts"
import { protocolArtefacts } from "./artefacts/protocols.ts"
import { streamArtefacts } from "./artefacts/streams.ts"

export function artefacts(): Map<string, string> {
  return new Map([...contractArtefacts(), ...protocolArtefacts(), ...streamArtefacts()])
}
