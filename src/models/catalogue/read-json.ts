// Reads JSON from a network peer up to a bound.
import { parseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { MAX_CATALOGUE_BYTES } from "./stored-catalogue.ts"

/** Throws for an answer that is longer or not JSON. */
export async function readJsonBounded(response: Response): Promise<JsonValue> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_CATALOGUE_BYTES) throw new Error(`the answer has more than ${MAX_CATALOGUE_BYTES} bytes`)
    chunks.push(chunk)
  }
  return parseJson(Buffer.concat(chunks).toString("utf8"))
}
