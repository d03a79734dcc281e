/**
 * Paths are added to it as they are, so it is an origin and nothing else: after a query or a
 * fragment they would lead nowhere. A slash at its end is no harm.
 */
export function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (isWeb && url.href === `${url.origin}/`) return url.origin
  throw new Error(
    'PUBLIC_URL must be an http or https address such as https://pay.example.com, ' +
      'without a path, query, fragment, user name or password.',
  )
}
