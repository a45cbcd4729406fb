// The text of an extension that gives the same answer to every hook. It needs no library.
export function answeringExtension(answer: { readonly action: string; readonly reason?: string }): string {
  return `let text = ""
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  text += chunk
  for (;;) {
    const [head, length] = /^Content-Length: (\\d+)\\r?\\n\\r?\\n/.exec(text) ?? []
    if (head === undefined || text.length < head.length + Number(length)) return
    const { id, method } = JSON.parse(text.slice(head.length, head.length + Number(length)))
    text = text.slice(head.length + Number(length))
    const result = method === "initialize" ? { protocol_version: 1, capabilities: {} } : ${JSON.stringify(answer)}
    const body = JSON.stringify({ jsonrpc: "2.0", id, result })
    process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body)
  }
})
`
}
