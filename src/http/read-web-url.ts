import { Refusal } from '../refusal.js'

/**
 * Where a payer's browser may be sent: http or https, and nothing that runs. Null where there is
 * none.
 */
export function readWebUrl(field: string, text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  // Credentials in an address are how one disguises another.
  if (isWeb && url.username === '' && url.password === '') return url.href
  const issue = 'must be an http or https address such as https://shop.example/thanks'
  throw new Refusal('validation_failed', {
    message: `${field} ${issue}.`,
    details: [{ field, issue }],
  })
}
