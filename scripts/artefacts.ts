// Path and text of every generated file, made from the schemas.
import { contractArtefacts } from "./artefacts/contract.ts"
import { protocolArtefacts } from "./artefacts/protocols.ts"

export function artefacts(): Map<string, string> {
  return new Map([...contractArtefacts(), ...protocolArtefacts()])
}
