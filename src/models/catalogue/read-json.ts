// Reads JSON from a network peer up to a bound.
import { parseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { MAX_CATALOGUE_BYTES } from "./stored-catalogue.ts"

/** Throws for an answer that is longer or not JSON. */
export async function readJsonBounded(response: Response): Promise<JsonValue> {
  return parseJson(await readTextBounded(response, MAX_CATALOGUE_BYTES))
}

export async function readTextBounded(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
