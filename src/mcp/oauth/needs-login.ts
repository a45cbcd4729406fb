// The fault of a server that refuses requests until the user has logged in. A session reports it and never opens a browser.

export class NeedsLogin extends Error {
  override readonly name = "NeedsLogin"
  readonly serverName: string

  constructor(serverName: string) {
    super(`MCP server "${serverName}" needs a login: turnhouse mcp login ${serverName}`)
    this.serverName = serverName
  }
}
