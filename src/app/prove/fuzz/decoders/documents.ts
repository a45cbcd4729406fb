// Documents as a target. An input is a line with the kind, then the file: as it is, or for kinds that are zip files its parts,
// each after a line `=== NAME`. A document gives text, or is refused with a reason that has a name.
import { documentText } from "../../../../knowledge/extract/document-text.ts"
import { ExtractFault, extractLimits } from "../../../../knowledge/extract/extract-limits.ts"
import { messagesOf } from "../../../../knowledge/extract/mail/mailbox.ts"
import { plainText } from "../../../../knowledge/extract/plain-text.ts"
import { csvText } from "../../../../knowledge/extract/tables/csv.ts"
import { zipFile } from "../../../../knowledge/fixtures/made-files.ts"
import { Finding, type FuzzTarget } from "../fuzz-target.ts"
import { documentSeeds, documentWords, kinds, partMark } from "./document-seeds.ts"
import { headed, inPieces } from "./input-lines.ts"

type DocumentKind = (typeof kinds)[number]

export function openTarget(): Promise<FuzzTarget> {
  return Promise.resolve({
    name: "documents",
    seeds: documentSeeds,
    words: documentWords,
    modules: ["knowledge/extract/"],
    run,
  })
}

/** True if the document has text. */
async function run(input: Uint8Array): Promise<boolean> {
  const { name, rest } = headed(input)
  const kind = kinds.find((one) => one === name) ?? "text"
  const file = fileOf(rest)
  const whole = await outcomeOf(kind, [file])
  if ("text" in whole && whole.text.length > extractLimits.textLength)
    throw new Finding(kind, `it has ${whole.text.length} characters of text`)
  const divided = await outcomeOf(kind, inPieces(file))
  const isSame = "text" in whole ? "text" in divided && divided.text === whole.text : "fault" in divided
  if (!isSame)
    throw new Finding(
      kind,
      `what it is read as depends on the pieces in which it is read: ${shown(whole)} and ${shown(divided)}`,
    )
  return "text" in whole && whole.text.trim() !== ""
}

function fileOf(body: Buffer): Buffer {
  const text = body.toString("utf8")
  if (!text.startsWith(partMark)) return body
  const parts = text.split(`\n${partMark}`).map((part, index) => (index === 0 ? part.slice(partMark.length) : part))
  return zipFile(
    Object.fromEntries(
      parts.map((part) => {
        const end = part.indexOf("\n")
        return [part.slice(0, Math.max(0, end)), part.slice(end + 1)]
      }),
    ),
  )
}

type Outcome = { readonly text: string } | { readonly fault: string }

async function outcomeOf(kind: DocumentKind, pieces: readonly Uint8Array[]): Promise<Outcome> {
  try {
    return { text: (await Array.fromAsync(textsOf(kind, pieces))).join("") }
  } catch (fault) {
    if (!(fault instanceof ExtractFault)) throw fault
    if (fault.message.trim() === "") throw new Finding(kind, "it is refused without a reason")
    return { fault: fault.message }
  }
}

async function* textsOf(kind: DocumentKind, pieces: readonly Uint8Array[]): AsyncGenerator<string> {
  switch (kind) {
    case "text":
      return yield* plainText(given(pieces))
    case "csv":
      return yield* csvText(plainText(given(pieces)))
    case "mbox":
      for await (const file of messagesOf(given(pieces)))
        yield await documentText({ kind: "eml", file, headingLevel: 2 })
      return
    default:
      yield await documentText({ kind, file: Buffer.concat(pieces) })
  }
}

async function* given(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

function shown(outcome: Outcome): string {
  return JSON.stringify(outcome).slice(0, 200)
}
