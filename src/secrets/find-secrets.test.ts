import { describe, expect, it } from "vitest"
import { secretsOf } from "./find-secrets.ts"

const random = "vB7kQ2mX9pLw4TzR"

function namesIn(env: Record<string, string | undefined>): string[] {
  return [...new Set(secretsOf({ env, config: {} }).map(({ name }) => name))]
}

describe("a variable counts as a secret", () => {
  it("from twelve characters and three bits per character on", () => {
    expect(namesIn({ A: "abcdefghijkl", B: "abcdefghijk", C: "aaaaaaaaaaaaaaaabbbb", D: "abcdefghabcdefgh" })).toEqual([
      "A",
      "D",
    ])
  })

  it("from eight characters on, however plain, when its name says so", () => {
    const env = {
      MY_API_KEY: "aaaaaaaa",
      GH_TOKEN: "aaaaaaab",
      db_password: "aaaaaaac",
      X_SECRET: "aaaaaaad",
      SMTP_PASS: "aaaaaaae",
    }
    expect(namesIn(env)).toEqual(Object.keys(env))
    expect(namesIn({ MY_API_KEY: "aaaaaaa", KEYBOARD: "us-intl8", MONITOR: "aaaaaaaa" })).toEqual([])
  })

  it("always when it is the secret of a cluster", () => {
    const value = "/looks/like/a/path/but/is/no/path"
    expect(namesIn({ TURNHOUSE_CLUSTER_SECRET: value, OTHER: value })).toEqual(["TURNHOUSE_CLUSTER_SECRET"])
  })

  it("when it is an address with credentials, which also count by themselves", () => {
    const found = secretsOf({ env: { DB: "postgres://app:s3cr%20et-pw@db.example.com/app" }, config: {} })
    expect(found.map(({ value }) => value).toSorted()).toEqual([
      "postgres://app:s3cr%20et-pw@db.example.com/app",
      "s3cr et-pw",
      "s3cr%20et-pw",
    ])
  })

  it("when it is an address with a well-known password, which by itself does not", () => {
    const address = "postgres://postgres:postgres@localhost/app"
    expect(secretsOf({ env: { DB: address }, config: {} })).toEqual([{ name: "DB", value: address }])
  })

  it("when the token of an address stands in its path or a parameter", () => {
    expect(
      namesIn({
        HOOK: "https://hooks.example.com/services/T0001/B0002/aB3dE5gH7jK9mN1pQ3sT",
        SIGNED: "https://example.com/file?api_key=abcdefgh",
      }),
    ).toEqual(["HOOK", "SIGNED"])
  })

  it("line by line too, except for the frame of a key file", () => {
    const value = `-----BEGIN PRIVATE KEY-----\n${random}${random}\n-----END PRIVATE KEY-----\n`
    expect(secretsOf({ env: { PEM: value }, config: {} }).map((secret) => secret.value)).toEqual([
      value,
      random + random,
    ])
  })
})

describe("a variable does not count as a secret", () => {
  it.each([
    ["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin"],
    ["HOSTNAME", "f3a9c1d27b04e"],
    ["LS_COLORS", "rs=0:di=01;34:ln=01;36:mh=00"],
    ["npm_config_user_agent", "npm/10.2.0 node/v24.21.0 linux x64"],
    ["TERM_PROGRAM_VERSION", "3.5.0beta12-xyz"],
    ["SSH_KEY_FILE", "/home/someone/.ssh/id_ed25519"],
    ["MODULES", "./node_modules/.bin"],
    ["TOKEN_URL", "https://login.example.com/oauth/token?scope=all"],
    ["PGPASSWORD", "postgres"],
    ["GIT_AUTHOR_EMAIL", "someone@example.com"],
    ["EMPTY_TOKEN", ""],
  ])("when it is %s=%s", (name, value) => {
    expect(namesIn({ [name]: value })).toEqual([])
  })

  it("but a token of a harmless family does, and a key that begins with a slash", () => {
    expect(namesIn({ npm_config__authToken: random, AWS_SECRET_ACCESS_KEY: `/${random}/${random}` })).toEqual([
      "npm_config__authToken",
      "AWS_SECRET_ACCESS_KEY",
    ])
  })
})

describe("the configuration's secrets", () => {
  it("are named after their place", () => {
    const found = secretsOf({
      env: { UNSET: undefined },
      config: {
        providers: {
          main: {
            type: "openai",
            apiKey: "main-key-1",
            headers: { Authorization: "Bearer main-token", accept: "application/json" },
          },
          local: { type: "openai-compatible", baseURL: "http://127.0.0.1:9000/v1", apiKey: "x" },
        },
        mcpServers: {
          shop: { command: "shop", env: { SHOP_TOKEN: "shop-token", MODE: "test" } },
          till: { oauth: { clientSecret: "till-secret" } },
        },
        agents: { desk: { embed: { origins: ["https://example.com"], key: "embed-key" } } },
        server: { auth: { mode: "jwt", secret: "jwt-secret" } },
        otp: { transport: { type: "smtp", url: "smtp://mail:mail-password@127.0.0.1:2525" } },
        store: { type: "postgres", url: "postgres://a:store-password@h1,h2/db" },
        bus: { type: "nats", url: "nats://bus-token@127.0.0.1:4222" },
      },
    })
    const byName = Object.groupBy(found, ({ name }) => name)
    const values = Object.entries(byName).map(([name, list = []]) => [name, list.map(({ value }) => value)])
    expect(Object.fromEntries(values)).toEqual({
      "providers.main.apiKey": ["main-key-1"],
      "providers.main.headers.Authorization": ["Bearer main-token", "main-token"],
      "mcpServers.shop.env.SHOP_TOKEN": ["shop-token"],
      "mcpServers.till.oauth.clientSecret": ["till-secret"],
      "agents.desk.embed.key": ["embed-key"],
      "server.auth.secret": ["jwt-secret"],
      "otp.transport.url": ["smtp://mail:mail-password@127.0.0.1:2525", "mail-password"],
      "store.url": ["postgres://a:store-password@h1,h2/db", "store-password"],
      "bus.url": ["nats://bus-token@127.0.0.1:4222", "bus-token"],
    })
  })

  it("keep the variable's name when both hold the same value", () => {
    const config = { providers: { main: { type: "openai" as const, apiKey: random } } }
    expect(secretsOf({ env: { OPENAI_API_KEY: random }, config })).toEqual([{ name: "OPENAI_API_KEY", value: random }])
  })
})
