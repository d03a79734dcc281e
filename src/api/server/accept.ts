/** Whether an Accept header prefers CSV to JSON, which is the default. */
export function prefersCsv(accept = ''): boolean {
  if (!namesCsv(accept)) return false
  const qualities = readQualities(accept)
  const csv = qualities.get('text/csv') ?? 0
  return csv > 0 && csv >= (qualities.get('application/json') ?? 0)
}

/**
 * Whether an Accept header names CSV and rules out JSON. Other types that rule it out, such as
 * text/html, are ignored: those clients get JSON, as they always did.
 */
export function refusesJson(accept = ''): boolean {
  if (!namesCsv(accept)) return false
  const qualities = readQualities(accept)
  const json =
    qualities.get('application/json') ?? qualities.get('application/*') ?? qualities.get('*/*')
  return (qualities.get('text/csv') ?? 0) > 0 && (json ?? 0) === 0
}

/** Few headers do, so that the others are not parsed. */
function namesCsv(accept: string): boolean {
  return accept.toLowerCase().includes('text/csv')
}

/** Whether an Accept-Encoding header accepts gzip. */
export function takesGzip(acceptEncoding = ''): boolean {
  return (readQualities(acceptEncoding).get('gzip') ?? 0) > 0
}

export function takesBrotli(acceptEncoding = ''): boolean {
  return (readQualities(acceptEncoding).get('br') ?? 0) > 0
}

function readQualities(header: string): Map<string, number> {
  return new Map(header.toLowerCase().split(',').map(readRange))
}

function readRange(text: string): [string, number] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [type, quality === undefined ? 1 : Number(quality) || 0]
}
