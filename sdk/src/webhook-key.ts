import { WebhookError } from './webhook-error.js'

export type SignedMessage = { id: string; timestamp: string; body: Uint8Array }

/** Verifies signatures of one version. */
export type Verifier = {
  version: 'v1' | 'v1a'
  matches(message: SignedMessage, signatures: string[]): Promise<boolean>
}

const kinds = {
  whsec_: { version: 'v1', algorithm: { name: 'HMAC', hash: 'SHA-256' } },
  whpk_: { version: 'v1a', algorithm: { name: 'Ed25519' } },
} as const

/** `whsec_…` verifies the HMAC signature, `whpk_…` the Ed25519 one. */
export async function readWebhookKey(secret: unknown): Promise<Verifier> {
  const { prefix, bytes } = readSecret(secret)
  const { version, algorithm } = kinds[prefix]
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  return {
    version,
    async matches(message, signatures) {
      const content = toContent(message)
      for (const signature of signatures) {
        const given = fromBase64(signature)
        // subtle.verify compares in constant time.
        if (given && (await crypto.subtle.verify(algorithm, key, given, content))) return true
      }
      return false
    },
  }
}

/** The `v1` signature. Manilla alone can make the `v1a` one, with the private key. */
export async function signMessage(message: SignedMessage, secret: unknown): Promise<string> {
  const { prefix, bytes } = readSecret(secret)
  if (prefix !== 'whsec_')
    throw malformed('is a public key, which cannot sign. Sign with the `secret` (whsec_…).')
  const { algorithm } = kinds[prefix]
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign(algorithm, key, toContent(message))
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`
}

function readSecret(secret: unknown) {
  if (typeof secret !== 'string' || secret === '')
    throw malformed(`is ${secret === '' ? 'empty' : 'missing'}. Is the variable set?`)
  if (secret.trim() !== secret) throw malformed('has whitespace around it. Trim it.')
  if (/^[sp]k_/.test(secret))
    throw malformed('is an API key. Use the `secret` (whsec_…) that came with the endpoint.')
  if (secret.startsWith('we_'))
    throw malformed('is an endpoint id. Use the `secret` (whsec_…) that came with it.')
  const prefix = (['whsec_', 'whpk_'] as const).find((start) => secret.startsWith(start))
  if (!prefix) throw malformed('must start with whsec_ (or whpk_, for the public key).')
  const bytes = fromBase64(secret.slice(prefix.length))
  const isWhole = bytes && (prefix === 'whpk_' ? bytes.length === 32 : bytes.length >= 16)
  if (!isWhole)
    throw malformed(`is incomplete or changed: the part after ${prefix} is not a valid key.`)
  return { prefix, bytes }
}

function malformed(how: string): WebhookError {
  return new WebhookError('secret_malformed', `The webhook secret ${how}`)
}

function toContent({ id, timestamp, body }: SignedMessage) {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

function fromBase64(text: string) {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
