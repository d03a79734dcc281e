import type { Resources } from '../../../../sdk/src/resources'

export type RequestLogWithBodies = Awaited<ReturnType<Resources['requestLogs']['get']>>

/** A row of the list: without the bodies. */
export type RequestLog = Omit<
  RequestLogWithBodies,
  'requestBody' | 'requestBodyCut' | 'responseBody' | 'responseBodyCut'
>

/** The request as a command. The key is read from the environment: logs never hold one. */
export function toCurl(log: RequestLogWithBodies, origin: string): string {
  const { method, path, query, requestBody } = log
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(origin + path + (query ? `?${query}` : ''))}`,
    '-H "Authorization: Bearer $MANILLA_KEY"',
  ]
  if (requestBody !== null && requestBody !== '') {
    parts.push('-H "Content-Type: application/json"', `-d ${quote(requestBody)}`)
  }
  return parts.join(' \\\n  ')
}

/** As one word of a shell: nothing inside single quotes is expanded. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The reference that a request is about: in its path, or in the answer. */
export function findReference(log: RequestLogWithBodies): string | undefined {
  const inPath = /\/((?:pay|bt|ct|cs|va|da|cw|dw|evt|we)_\w+)/.exec(log.path)?.[1]
  return (
    inPath ??
    /"(?:accountReference|reference|id)":"((?!key_)\w+_\w+)"/.exec(log.responseBody ?? '')?.[1]
  )
}
