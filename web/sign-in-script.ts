/**
 * Script of the pages that sign people in. Passwords and codes work without it; passkeys, which
 * only a script can use, show their buttons when it runs.
 */

type CredentialJson = { id: string; transports?: AuthenticatorTransport[] }
type RequestOptionsJson = {
  challenge: string
  rpId: string
  timeout: number
  allowCredentials?: CredentialJson[]
}
type CreationOptionsJson = {
  challenge: string
  rp: PublicKeyCredentialRpEntity
  user: { id: string; name: string; displayName: string }
  pubKeyCredParams: PublicKeyCredentialParameters[]
  timeout: number
  excludeCredentials?: CredentialJson[]
  authenticatorSelection: AuthenticatorSelectionCriteria
}

const session = '/console/session'
const button = document.querySelector<HTMLButtonElement>('#passkey')
const block = document.querySelector<HTMLElement>('#passkey-block')
const problem = document.querySelector<HTMLElement>('#problem')

if (button && block && 'PublicKeyCredential' in window) {
  block.hidden = false
  const { act, next = '/console', failed = '' } = button.dataset
  button.addEventListener('click', async () => {
    button.disabled = true
    say('')
    try {
      await (act === 'add' ? addPasskey() : signIn())
      location.assign(next)
    } catch (error) {
      button.disabled = false
      // The user closed the browser's dialog, or the server explains what is wrong.
      const isOurs = error instanceof Problem && error.message !== ''
      say(isOurs ? (error as Error).message : failed)
    }
  })
}

class Problem extends Error {}

function say(text: string): void {
  if (!problem) return
  problem.textContent = text
  problem.hidden = text === ''
}

async function signIn(): Promise<void> {
  const options = await post<RequestOptionsJson>(`${session}/passkey/options`, {})
  const credential = await navigator.credentials.get({
    publicKey: {
      challenge: toBytes(options.challenge),
      rpId: options.rpId,
      timeout: options.timeout,
      userVerification: 'required',
      allowCredentials: (options.allowCredentials ?? []).map(toDescriptor),
    },
  })
  const { id, rawId, response } = credential as PublicKeyCredential
  const signed = response as AuthenticatorAssertionResponse
  await post(`${session}/passkey`, {
    passkey: {
      id,
      rawId: toText(rawId),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        authenticatorData: toText(signed.authenticatorData),
        clientDataJSON: toText(signed.clientDataJSON),
        signature: toText(signed.signature),
        ...(signed.userHandle && { userHandle: toText(signed.userHandle) }),
      },
    },
  })
}

async function addPasskey(): Promise<void> {
  const options = await post<CreationOptionsJson>(`${session}/passkeys/options`, {})
  const { rp, user, pubKeyCredParams, timeout, authenticatorSelection } = options
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: toBytes(options.challenge),
      rp,
      user: { ...user, id: toBytes(user.id) },
      pubKeyCredParams,
      timeout,
      excludeCredentials: (options.excludeCredentials ?? []).map(toDescriptor),
      authenticatorSelection,
      attestation: 'none',
    },
  })
  const { id, rawId, response } = credential as PublicKeyCredential
  const made = response as AuthenticatorAttestationResponse
  await post(`${session}/passkeys`, {
    name: button?.dataset.name ?? 'Passkey',
    passkey: {
      id,
      rawId: toText(rawId),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        attestationObject: toText(made.attestationObject),
        clientDataJSON: toText(made.clientDataJSON),
        transports: made.getTransports?.() ?? [],
      },
    },
  })
}

function toDescriptor({ id, transports }: CredentialJson): PublicKeyCredentialDescriptor {
  return { id: toBytes(id), type: 'public-key', ...(transports && { transports }) }
}

async function post<Data>(url: string, body: object): Promise<Data> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-manilla-console': '1' },
    body: JSON.stringify(body),
    credentials: 'same-origin',
  })
  const { message, data } = await response.json()
  if (!response.ok) throw new Problem(message)
  return data
}

function toBytes(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function toText(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes))
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

export {}
