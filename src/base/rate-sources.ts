import { Secret } from './secret.js'

/** A source of rates, as configured in RATE_SOURCES. */
export type RateSourceConfig = {
  name: string
  asset: 'USDC' | 'USDT'
  url: URL
  /** JSON pointers to one rate, or to one for each side. */
  at: { rate: string; marginBasisPoints: number } | { buy: string; sell: string }
  /** JSON pointer to the time of the rate; without it, the time of the answer counts. */
  time: string | undefined
  /** A header with an API key. */
  header: { name: string; key: Secret } | undefined
}

export type RateConfig = {
  sources: RateSourceConfig[]
  /** Older rates are not used. */
  maxAgeMs: number
  /** A source that differs more from the last rate is not used. */
  maxDeviationPercent: number
}

const fields = [
  'name',
  'asset',
  'url',
  'rate',
  'marginBasisPoints',
  'buy',
  'sell',
  'time',
  'keyHeader',
  'keyVariable',
]

const sourcesMax = 20
const basisPointsMax = 5_000
const pointer = /^(\/([^~/]|~[01])*)+$/
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

/** No other variables: a mistyped name must not send another secret to a source. */
const keyVariable = /^RATE_KEY_[A-Z0-9_]{1,60}$/

/** Errors name the source and what is expected. They quote no values: a URL may contain a key. */
export function readRateSources(
  text: string,
  environment: Record<string, string | undefined>,
): RateSourceConfig[] {
  const list = parseList(text)
  if (list.length > sourcesMax) throw wrong(`have at most ${sourcesMax} sources`)
  const sources = list.map((source, index) => readSource(source, index, environment))
  const names = sources.map(({ name, asset }) => `${name}/${asset}`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw wrong(`name each source of a coin once; ${twice} appears twice`)
  return sources
}

function parseList(text: string): unknown[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw wrong('be a JSON array such as [{"name":"bank-a","asset":"USDC","url":…,"rate":"/rate"}]')
  }
  if (!Array.isArray(parsed)) throw wrong('be a JSON array')
  return parsed
}

function readSource(
  given: unknown,
  index: number,
  environment: Record<string, string | undefined>,
): RateSourceConfig {
  const at = (field: string) => `[${index}].${field}`
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrong(`have an object at [${index}]`)
  const source = given as Record<string, unknown>
  const unknown = Object.keys(source).find((field) => !fields.includes(field))
  if (unknown !== undefined) throw wrong(`have only the fields ${fields.join(', ')} at [${index}]`)
  const read = <Value>(
    field: string,
    wanted: string,
    parse: (value: unknown) => Value | undefined,
  ) => {
    const value = parse(source[field])
    if (value === undefined) throw wrong(`have ${wanted} at ${at(field)}`)
    return value
  }
  const pointerAt = (field: string) =>
    read(field, 'a JSON pointer such as /data/rate', (value) => matching(value, pointer))
  const isPair = source.buy !== undefined || source.sell !== undefined
  if (isPair === (source.rate !== undefined))
    throw wrong(`have either \`rate\`, or \`buy\` and \`sell\`, at [${index}]`)
  if (isPair && source.marginBasisPoints !== undefined)
    throw wrong(`have \`marginBasisPoints\` only with \`rate\`, at [${index}]`)
  return {
    name: read('name', 'a name of lowercase letters, digits and hyphens', (value) =>
      matching(value, /^[a-z0-9][a-z0-9-]{0,39}$/),
    ),
    asset: read('asset', 'USDC or USDT', (value) =>
      value === 'USDC' || value === 'USDT' ? value : undefined,
    ),
    url: read('url', 'an https address, or http on loopback', readUrl),
    at: isPair
      ? { buy: pointerAt('buy'), sell: pointerAt('sell') }
      : {
          rate: pointerAt('rate'),
          marginBasisPoints: read(
            'marginBasisPoints',
            `a whole number from 0 to ${basisPointsMax}`,
            readMargin,
          ),
        },
    time: source.time === undefined ? undefined : pointerAt('time'),
    header: readHeader(source, index, environment),
  }
}

function readHeader(
  { keyHeader, keyVariable: variable }: Record<string, unknown>,
  index: number,
  environment: Record<string, string | undefined>,
): RateSourceConfig['header'] {
  if (keyHeader === undefined && variable === undefined) return undefined
  const name = matching(keyHeader, headerName)
  const keyName = matching(variable, keyVariable)
  if (!name || !keyName)
    throw wrong(
      `have both \`keyHeader\`, such as X-Api-Key, and \`keyVariable\`, such as RATE_KEY_BANK_A, at [${index}]`,
    )
  const key = environment[keyName]
  if (!key) throw new Error(`${keyName} is required by a source in RATE_SOURCES.`)
  // fetch would put the value into its error.
  if (!/^[\x20-\x7e]+$/.test(key))
    throw new Error(`${keyName} must have printable ASCII characters only.`)
  return { name, key: new Secret(key) }
}

function readMargin(value: unknown): number | undefined {
  if (value === undefined) return 0
  const isWhole = Number.isInteger(value)
  return isWhole && Number(value) >= 0 && Number(value) <= basisPointsMax
    ? Number(value)
    : undefined
}

/** A password in the address would be sent as a header that the source does not expect. */
function readUrl(value: unknown): URL | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const url = new URL(value)
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
  return isAllowed && url.username === '' && url.password === '' ? url : undefined
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined
}

function wrong(expected: string): Error {
  return new Error(`RATE_SOURCES must ${expected}.`)
}

/** Used if no variables are set. */
export const noRateSources: RateConfig = {
  sources: [],
  maxAgeMs: 300_000,
  maxDeviationPercent: 5,
}
