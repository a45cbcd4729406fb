// Random secrets of every kind that Turnhouse knows, and the places that it knows them from.
import { pick } from "../seeded.ts"

type Below = (below: number) => number

export interface PlantedSecret {
  /** Of the table. */
  readonly kind: string
  /** As it is planted. */
  readonly value: string
  /** The parts that occur nowhere by chance; all letters and digits. */
  readonly random: readonly string[]
}

/** A value, with its parts that are random. */
interface RandomValue {
  readonly value: string
  readonly random: readonly string[]
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const alphabet = `${letters}0123456789`
const hexDigits = "0123456789abcdef"
/** What encoders escape. */
const special = ["/", "+", "\\", '"', "<", ">", "&", "=", "%", "~", "ü", "→"]
const KEY_LINES = 4
const KEY_LINE_LENGTH = 64

export function randomText(below: Below, length: number, from = alphabet): string {
  return Array.from({ length }, () => from.charAt(below(from.length))).join("")
}

/** Begins with a letter: a path and an address do not. */
function plainKey(below: Below, prefix = ""): RandomValue {
  const text = randomText(below, 1, letters) + randomText(below, 23 + below(16))
  return { value: prefix + text, random: [text] }
}

function keyWithSpecials(below: Below): RandomValue {
  const parts = Array.from({ length: 3 }, () => randomText(below, 1, letters) + randomText(below, 15))
  const between = () => pick(special, below) + pick(special, below)
  return { value: `${parts[0]}${between()}${parts[1]}${between()}${parts[2]}`, random: parts }
}

function privateKey(below: Below): RandomValue {
  const lines = Array.from({ length: KEY_LINES }, () => randomText(below, KEY_LINE_LENGTH))
  return { value: ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----"].join("\n"), random: lines }
}

function passwordAddress(below: Below, scheme: string): RandomValue {
  const { value: password, random } = plainKey(below)
  return { value: `${scheme}://app:${password}@db.example/app`, random }
}

export interface SecretSet {
  readonly secrets: readonly PlantedSecret[]
  /** Variables of the hosts. */
  readonly env: Readonly<Record<string, string>>
  /** Of the provider that answers. */
  readonly apiKey: string
  /** A part of `config.json`. */
  readonly config: { readonly [key: string]: unknown }
  /** Settings of the MCP server that runs. */
  readonly serverEnv: Readonly<Record<string, string>>
  /** Stored logins. */
  readonly loginKey: string
  readonly serverToken: string
}

/** The variable that tools get by `tools.env`. */
export const passedVariable = "PASSED_TOKEN"
/** The address of an MCP server that is not used, and has a stored login. */
export const loginAddress = "https://mcp.example/mcp"

/** `hasServerSecret`: with `server.auth`, a server has no visitors without a token. */
export function randomSecrets(below: Below, hasServerSecret: boolean): SecretSet {
  const secrets: PlantedSecret[] = []
  const plant = (kind: string, made: RandomValue): string => {
    secrets.push({ kind, ...made })
    return made.value
  }
  const environment = environmentSecrets(below, plant)
  const header = plant("config: header", plainKey(below))
  const apiKey = plant("config: provider key", plainKey(below, "sk-"))
  const workToken = plant("config: MCP environment", keyWithSpecials(below))
  const embedKey = plant("config: embed key", plainKey(below))
  const secret = hasServerSecret ? plant("config: server secret", plainKey(below)) : undefined
  return {
    secrets,
    env: environment,
    apiKey,
    serverEnv: { WORK_TOKEN: workToken },
    loginKey: plant("stored login", plainKey(below, "gsk_")),
    serverToken: plant("stored MCP login", plainKey(below)),
    config: {
      mcpServers: { off: unusedServer(below, plant) },
      web: { search: { provider: "brave", apiKey: plant("config: search key", plainKey(below)) } },
      providers: { spare: { ...spareProvider(below, plant), headers: { Authorization: `Bearer ${header}` } } },
      agents: { desk: { embed: { origins: ["https://desk.example"], key: embedKey } } },
      ...(secret === undefined ? {} : { server: { auth: { mode: "jwt", secret } } }),
    },
  }
}

type Plant = (kind: string, made: RandomValue) => string

function environmentSecrets(below: Below, plant: Plant): Readonly<Record<string, string>> {
  return {
    SOME_API_KEY: plant("environment: key", plainKey(below, "sk-")),
    DEPLOY_PASSWORD: plant("environment: password", keyWithSpecials(below)),
    ANYTHING: plant("environment: long random value", plainKey(below)),
    DATABASE_URL: plant("environment: address with password", passwordAddress(below, "postgres")),
    SIGNING_KEY: plant("environment: private key", privateKey(below)),
    [passedVariable]: plant("environment: passed to tools", keyWithSpecials(below)),
  }
}

function unusedServer(below: Below, plant: Plant) {
  return {
    disabled: true,
    url: `${loginAddress}?api_key=${plant("config: key in an address", plainKey(below))}`,
    headers: { "X-Api-Key": plant("config: MCP header", plainKey(below)) },
    oauth: { clientSecret: plant("config: client secret", plainKey(below)) },
  }
}

function spareProvider(below: Below, plant: Plant) {
  const { value: password, random } = plainKey(below)
  plant("config: address with password", { value: password, random })
  return { type: "openai-compatible", baseURL: `http://app:${password}@127.0.0.1:9/v1` }
}

/** Recognised by its shape: no file has it. */
export function randomLinkKey(below: Below): PlantedSecret {
  const signature = randomText(below, 43)
  const value = `lnk_${randomText(below, 18, hexDigits)}.${randomText(below, 40)}.${signature}`
  return { kind: "share link", value, random: [signature] }
}
