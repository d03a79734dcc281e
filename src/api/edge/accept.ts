/** Whether an Accept header prefers CSV to JSON, which is the default. */
export function prefersCsv(accept = ''): boolean {
  const qualities = readQualities(accept)
  const csv = qualities.get('text/csv') ?? 0
  return csv > 0 && csv >= (qualities.get('application/json') ?? 0)
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
