/** Fields that the line shows elsewhere, or that only machines need. */
const hidden = new Set(['level', 'time', 'pid', 'msg', 'err', 'environmentId', 'process'])

const levels: Record<string, { name: string; colour: number }> = {
  trace: { name: 'TRACE', colour: 90 },
  debug: { name: 'DEBUG', colour: 90 },
  info: { name: 'INFO ', colour: 32 },
  warn: { name: 'WARN ', colour: 33 },
  error: { name: 'ERROR', colour: 31 },
  fatal: { name: 'FATAL', colour: 31 },
}

type Line = Record<string, unknown> & {
  level?: string
  time?: string
  msg?: string
  err?: { type?: string; message?: string; stack?: string }
}

/** Turns a JSON line into a short one for a terminal. Anything else is passed on as it is. */
export function createPrettifier(hasColours: boolean): (json: string) => string {
  const paint = (code: number, text: string) => (hasColours ? `\x1b[${code}m${text}\x1b[0m` : text)
  return (json) => {
    let line: Line
    try {
      line = JSON.parse(json) as Line
    } catch {
      return json
    }
    const { name, colour } = levels[line.level ?? ''] ?? { name: `${line.level}`, colour: 0 }
    const { text, shown } = describe(line)
    const fields = Object.entries(line)
      .filter(([key, value]) => !hidden.has(key) && !shown.has(key) && value !== undefined)
      .map(([key, value]) => `${key}=${show(value)}`)
    const parts = [paint(90, timeOf(line.time)), paint(colour, name), text]
    if (fields.length > 0) parts.push(paint(90, fields.join(' ')))
    return `${parts.join(' ')}\n${describeError(line, (stack) => paint(90, stack))}`
  }
}

/** An answer to a request in the words of a web log: method, path, status and duration. */
function describe(line: Line): { text: string; shown: Set<string> } {
  const { msg = '', method, path, status, durationMs } = line
  if (msg !== 'answered') return { text: clean(msg), shown: new Set() }
  return {
    text: clean(`${method} ${path} ${status} ${durationMs} ms`),
    shown: new Set(['method', 'path', 'status', 'durationMs']),
  }
}

/** The stack only where it leads to a bug. */
function describeError({ err, level }: Line, paint: (text: string) => string): string {
  if (!err) return ''
  const isBug = level === 'error' || level === 'fatal'
  const text = isBug && err.stack ? err.stack : `${err.type ?? 'Error'}: ${err.message}`
  const lines = text.split('\n').map((line) => paint(`  ${clean(line)}`))
  return `${lines.join('\n')}\n`
}

/** The time of day here: a terminal shows what happens now. */
function timeOf(time: string | undefined): string {
  const at = new Date(time ?? '')
  return Number.isNaN(at.getTime()) ? '--:--:--' : at.toTimeString().slice(0, 8)
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w.:/+@₦,[\]-]+$/.test(text)
    ? text
    : clean(typeof value === 'string' ? JSON.stringify(value) : text)
}

/** Control characters from outside could rewrite the terminal. */
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '�')
}
