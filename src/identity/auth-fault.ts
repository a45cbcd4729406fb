// The configured authentication cannot be checked, or would protect nothing.
export class AuthFault extends Error {
  override readonly name = "AuthFault"
}
