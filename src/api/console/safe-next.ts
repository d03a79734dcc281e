const home = '/console'

/**
 * Where to go after signing in: a page of this console, whatever the link says. A link to another
 * site, or to a path that a browser reads as one, leads home.
 */
export function safeNext(text: unknown): string {
  if (typeof text !== 'string' || !text.startsWith('/') || /[\\\p{Cc}]/u.test(text)) return home
  const anywhere = 'https://console.invalid'
  if (!URL.canParse(text, anywhere)) return home
  const { origin, pathname, search } = new URL(text, anywhere)
  const isOwn = origin === anywhere && (pathname === home || pathname.startsWith(`${home}/`))
  return isOwn ? pathname + search : home
}
