// The text of a program that is an extension. It needs no library.

/** Gives the same answer to every hook. */
export function answeringExtension(answer: { readonly action: string; readonly reason?: string }): string {
  return extensionProgram(JSON.stringify(answer))
}

/** `answer`: an expression over `params`, those of the hook. */
export function extensionProgram(answer: string): string {
  return `let text = ""
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  text += chunk
  for (;;) {
    const [head, length] = /^Content-Length: (\\d+)\\r?\\n\\r?\\n/.exec(text) ?? []
    if (head === undefined || text.length < head.length + Number(length)) return
    const { id, method, params } = JSON.parse(text.slice(head.length, head.length + Number(length)))
    text = text.slice(head.length + Number(length))
    const result = method === "initialize" ? { protocol_version: 1, capabilities: {} } : ${answer}
    const ascii = (one) => "\\\\u" + one.charCodeAt(0).toString(16).padStart(4, "0")
    const body = JSON.stringify({ jsonrpc: "2.0", id, result }).replaceAll(/[^\\0-\\x7f]/g, ascii)
    process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body)
  }
})
`
}
