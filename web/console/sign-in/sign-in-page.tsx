// Shown without a valid sign-in: how to get one.

export function SignInPage({ problem }: { readonly problem: string | undefined }) {
  return (
    <main class="sign-in">
      <h1>Turnhouse</h1>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p>Sign in to see the sessions of this computer. In a terminal on the computer that runs the server, run:</p>
      <pre tabIndex={0}>
        <code>turnhouse link</code>
      </pre>
      <p>Open the address that it prints in this browser, or scan its QR code with your phone.</p>
    </main>
  )
}
