// A provider as configured, and the interface of its adapter.
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Config } from "../../contract/config.ts"
import type { HostedProvider } from "./hosted.ts"

export type ProviderSettings = NonNullable<Config["providers"]>[string]
export type ProviderType = ProviderSettings["type"]
export type Environment = Readonly<Record<string, string | undefined>>
export type Fetch = typeof globalThis.fetch

/** `source` names the variable or configuration key, for messages. Values never leave this folder. */
export type Credentials =
  | { readonly kind: "key"; readonly value: string; readonly source: string }
  | LateKeySource
  | AwsSource
  | GoogleSource
  | {
      readonly kind: "aws"
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly sessionToken: string | undefined
      readonly source: string
    }
  | { readonly kind: "none" }

/** A key that is read when a call needs it. */
export interface LateKeySource {
  readonly kind: "late"
  readonly from: Exclude<NonNullable<ProviderSettings["apiKey"]>, string>
  readonly source: string
}

/** Keys of AWS, read when a call needs them. */
export interface AwsSource {
  readonly kind: "aws-source"
  readonly from:
    | { readonly kind: "profile"; readonly profile: string }
    | { readonly kind: "web-identity"; readonly tokenFile: string; readonly roleArn: string }
    | { readonly kind: "container" | "instance" }
  readonly credentialsFile: string
  readonly configFile: string
  readonly ssoFolder: string
  /** Addresses and tokens are variables. */
  readonly env: Environment
  readonly source: string
  /** Found without a variable that names it. */
  readonly isAmbient?: boolean
}

/** Credentials of Google Cloud, from which an access token is made when a call needs it. */
export interface GoogleSource {
  readonly kind: "google"
  /** Absent: the metadata server of a machine in Google Cloud. */
  readonly file?: string | undefined
  readonly metadataHost: string
  readonly source: string
  /** Found without a variable that names it. */
  readonly isAmbient?: boolean
}

export interface Provider {
  readonly name: string
  readonly type: ProviderType
  /** Undefined for Bedrock, whose URL follows from the region. */
  readonly baseURL: string | undefined
  /** Whether `baseURL` is the vendor's own. */
  readonly vendorAddress: boolean
  /** Set where `baseURL` is that of a known provider with OpenAI's format. */
  readonly hosted?: HostedProvider | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly region: string | undefined
  /** Of Azure's API; a date selects its older addresses. */
  readonly apiVersion?: string | undefined
  /** Of Vertex. An unknown project may be in the file of the credentials. */
  readonly place?: { readonly project: string | undefined; readonly location: string } | undefined
  readonly credentials: Credentials
  /** Why it cannot be used, and what to do. */
  readonly problem: string | undefined
}

export type MakeModel = (modelId: string) => LanguageModelV4
