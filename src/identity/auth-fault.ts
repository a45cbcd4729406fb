// The configuration asks for something that cannot be checked, or that would be no protection.
export class AuthFault extends Error {
  override readonly name = "AuthFault"
}
