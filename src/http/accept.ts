/** Whether an Accept header would rather have CSV than JSON; whoever asks for neither gets JSON. */
export function prefersCsv(accept = ''): boolean {
  const qualities = new Map(accept.toLowerCase().split(',').map(readRange))
  const csv = qualities.get('text/csv') ?? 0
  return csv > 0 && csv >= (qualities.get('application/json') ?? 0)
}

function readRange(text: string): [string, number] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [type, quality === undefined ? 1 : Number(quality) || 0]
}
