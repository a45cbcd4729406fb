import { describe, expect, it } from "vitest"
import { docxFile, zipFile } from "../../fixtures/made-files.ts"
import { documentText } from "../document-text.ts"
import { extractLimits } from "../extract-limits.ts"
import { messagesOf } from "./mailbox.ts"
import { withoutQuotes } from "./quotes.ts"

const head = "From: Ann Lee <ann@example.org>\r\nDate: Wed, 18 Nov 2026 10:30:00 +0100\r\n"

function textOf(message: string | Buffer): Promise<string> {
  return documentText({ kind: "eml", file: typeof message === "string" ? Buffer.from(message, "latin1") : message })
}

function part(headers: string, body: string): string {
  return `--b\r\n${headers}\r\n\r\n${body}\r\n`
}

function multipart(kind: string, ...parts: readonly string[]): string {
  return `${head}Subject: Hello\r\nContent-Type: multipart/${kind}; boundary=b\r\n\r\n${parts.join("")}--b--\r\n`
}

const shown = "From: Ann Lee <ann@example.org>\nDate: 2026-11-18 09:30 UTC\n\n"

describe("a mail message", () => {
  it("has its subject as the title, its sender and its date, decoded", async () => {
    const message = `From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>\r\nDate: Wed, 18 Nov 2026 10:30:00 +0100\r\nSubject: =?utf-8?B?UsO8Y2tnYWJl?=\r\n =?iso-8859-1?Q?_f=FCr_alle?=\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe aus=\r\n K=F6ln\r\n`
    expect(await textOf(message)).toBe(
      "# Rückgabe für alle\n\nFrom: Jürgen <j@example.org>\nDate: 2026-11-18 09:30 UTC\n\nGrüße aus Köln\n\n",
    )
  })

  it("has its text part if there is one, or else its page", async () => {
    const text = part("Content-Type: text/plain", "plain words")
    const page = part("Content-Type: text/html", "<style>p{}</style><h1>Big</h1><p>page &amp; words</p>")
    expect(await textOf(multipart("alternative", page, text))).toBe(`# Hello\n\n${shown}plain words\n\n`)
    expect(await textOf(multipart("alternative", page))).toBe(`# Hello\n\n${shown}# Big\n\npage & words\n\n`)
  })

  it("has the text of attachments of known kinds, and the names of others", async () => {
    const attached = (name: string, content: Buffer) =>
      part(
        `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64`,
        content.toString("base64"),
      )
    const document = docxFile("<w:p><w:r><w:t>Thirty days.</w:t></w:r></w:p>")
    const message = multipart(
      "mixed",
      part("Content-Type: text/plain", "See below."),
      attached("returns.docx", document),
      attached("prices.csv", Buffer.from("Item,Price\nTea,5\n")),
      attached("photo.png", Buffer.from("png")),
      attached("broken.docx", Buffer.from("no zip")),
      attached("nested.zip", zipFile({ "a.docx": document })),
    )
    expect(await textOf(message)).toBe(
      `# Hello\n\n${shown}See below.\n\n## Attachment: returns.docx\n\nThirty days.\n\n## Attachment: prices.csv\n\n| Item | Price |\n| --- | --- |\n| Tea | 5 |\n\n[Attachment: photo.png]\n\n[Attachment: broken.docx; it cannot be read: it is not a zip file, as documents of this kind are. It may have a wrong extension]\n\n[Attachment: nested.zip]\n\n`,
    )
  })

  it("reads a bounded number of attachments", async () => {
    const note = part('Content-Type: text/markdown\r\nContent-Disposition: attachment; filename="a.md"', "note")
    const text = await textOf(multipart("mixed", ...Array.from({ length: 50 }, () => note)))
    expect(text.match(/Attachment: a\.md/g)).toHaveLength(extractLimits.attachments)
    expect(text).toContain(`[${50 - extractLimits.attachments} more attachments]`)
  })

  it("is read however it ends, and refused if it is none or nested without end", async () => {
    const endless = `${head}Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${"QUJD".repeat(500_000)}`
    expect((await textOf(endless)).length).toBeGreaterThan(1_400_000)
    expect(await textOf(multipart("mixed", "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"))).toContain(
      "# Hello",
    )
    const nested = Array.from(
      { length: 200 },
      (_, at) => `--b${at}\r\nContent-Type: multipart/mixed; boundary=b${at + 1}\r\n\r\n`,
    )
    const deep = `${head}Content-Type: multipart/mixed; boundary=b0\r\n\r\n${nested.join("")}`
    await expect(textOf(deep)).rejects.toThrow("it is damaged: Maximum MIME nesting depth")
    await expect(textOf("\r\n\r\nno header")).rejects.toThrow("it is not a mail message")
  })
})

describe("what a message repeats", () => {
  it.for([
    ["a quoted message at its end", "Yes.\n\nOn Mon, 16 Nov 2026, Bob wrote:\n> Is it?\n>\n> Bob\n", "Yes."],
    [
      "a wrapped attribution",
      "Yes.\n\nAm Montag, 16. November 2026 um 10:00\nschrieb Bob <b@x.org>:\n> Ist es?\n",
      "Yes.",
    ],
    ["an original message", "Yes.\n\n-----Original Message-----\nFrom: Bob\n\nIs it?", "Yes."],
    ["a signature", "Yes.\n-- \nAnn Lee\nExample Ltd", "Yes."],
  ])("is left out: %s", ([, text = "", expected]) => {
    expect(withoutQuotes(text)).toBe(expected)
  })

  it.for([
    ["answers between quotations", "> Is it?\nYes.\n> And that?\nNo."],
    ["a line that ends in a colon before a quotation", "These are the steps:\n\n> first"],
    ["nothing but a quotation", "> Is it?"],
    ["nothing but a signature", "-- \nAnn"],
    ["dashes in the text", "a\n--\nb -- c"],
  ])("stays where it is content: %s", ([name, text = ""]) => {
    const expected = name === "a line that ends in a colon before a quotation" ? "These are the steps:" : text
    expect(withoutQuotes(text)).toBe(name === "dashes in the text" ? "a" : expected)
  })

  it("stays in forwarded mail", async () => {
    const message = `${head}Subject: Fwd: Rules\r\n\r\nSee below.\r\n\r\n-----Original Message-----\r\nThe rules.\r\n`
    expect(await textOf(message)).toContain("The rules.")
  })
})

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size), "latin1")
}

async function messages(text: string, size = 1000): Promise<readonly string[]> {
  return (await Array.fromAsync(messagesOf(pieces(text, size)))).map((message) => message.toString("latin1"))
}

describe("a mailbox", () => {
  const mailbox =
    "From a@x.org Wed Nov 18\nSubject: A\n\n>From here on\nFrom now\n\nFrom b@x.org Wed Nov 18\r\nSubject: B\r\n\r\nText\r\n"

  it("is split into its messages, wherever the pieces of the file end", async () => {
    for (const size of [1, 2, 3, 7, 1000])
      expect(await messages(mailbox, size)).toEqual([
        "Subject: A\n\nFrom here on\nFrom now\n\n",
        "Subject: B\r\n\r\nText\r\n",
      ])
  })

  it("is refused if it does not begin with a message", async () => {
    await expect(messages("Subject: A\n\nText")).rejects.toThrow("it is not a mailbox")
  })

  it("with an endless message or line has the beginning of it and the next message", async () => {
    const line = "QUJD".repeat(20)
    const endless = `${line}\n`.repeat(500_000)
    const found = await messages(`From a\n\n${endless}\nFrom b\nSubject: B\n\nText\n`, 256 * 1024)
    expect(found.map(({ length }) => length <= extractLimits.messageBytes + 100)).toEqual([true, true])
    expect(found[1]).toBe("Subject: B\n\nText\n")
    const oneLine = await messages(`From a\n\n${"x".repeat(3 * 1024 * 1024)}\n\nFrom b\nSubject: B\n\n`, 256 * 1024)
    expect(oneLine).toHaveLength(2)
  })
})
