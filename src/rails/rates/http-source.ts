import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { RateSourceConfig } from '../../base/rate-sources.js'
import { type RateSource, type Reading, SourceProblem } from '../../rates/ports.js'
import { parseWithNumberTexts } from '../bank/number-texts.js'
import { measureRailCall } from '../rail-calls.js'
import { readBounded } from '../read-bounded.js'
import { readRateText, toRatePair } from './rate-text.js'

/** Reads a rate from the JSON that a URL returns. */
export function createHttpSource(
  config: RateSourceConfig,
  { clock, timeoutMs = limits.rates.timeoutMs }: { clock: Clock; timeoutMs?: number },
): RateSource {
  const { name, asset } = config
  return {
    name,
    asset,
    async read() {
      const answer = await measureRailCall(`rates ${name}`, () => fetchAnswer(config, timeoutMs))
      return toReading(config, answer, clock.now())
    },
  }
}

async function fetchAnswer({ url, header }: RateSourceConfig, timeoutMs: number): Promise<unknown> {
  const key: Record<string, string> = header ? { [header.name]: header.key.reveal() } : {}
  let text: string
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...key },
      // A redirect could carry the key to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new SourceProblem(describeStatus(response.status))
    }
    const answer = await readBounded(response, limits.rates.answerBytesMax)
    if (answer === undefined)
      throw new SourceProblem(`the answer is longer than ${limits.rates.answerBytesMax} bytes`)
    text = answer
  } catch (error) {
    if (error instanceof SourceProblem) throw error
    throw new SourceProblem(describeFailure(error, timeoutMs))
  }
  try {
    return parseWithNumberTexts(text)
  } catch {
    throw new SourceProblem('the answer is not JSON')
  }
}

function describeStatus(status: number): string {
  return status >= 300 && status < 400
    ? `redirects (status ${status}): configure the final address`
    : `answers with status ${status}`
}

/** Leaves out the URL and the headers, which `fetch` may put into messages. */
function describeFailure(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as Error & { cause?: { code?: string } }
  if (name === 'TimeoutError') return `slow: no answer within ${timeoutMs / 1_000} s`
  return `cannot be reached${cause?.code ? ` (${cause.code})` : ''}`
}

function toReading({ at, time }: RateSourceConfig, answer: unknown, now: Date): Reading {
  const pair =
    'rate' in at
      ? toRatePair(readFraction(answer, at.rate), at.marginBasisPoints)
      : toRatePair(readFraction(answer, at.buy), 0, readFraction(answer, at.sell))
  if (!pair) throw new SourceProblem('not a usable rate: too small or too large')
  if (pair.sell < pair.buy) throw new SourceProblem('its `sell` is below its `buy`')
  return { buy: pair.buy, sell: pair.sell, at: time === undefined ? now : readTime(answer, time) }
}

function readFraction(answer: unknown, pointer: string) {
  const text = readText(answer, pointer)
  const fraction = readRateText(text)
  if (!fraction)
    throw new SourceProblem(`not a number: ${pointer} is ${JSON.stringify(shorten(text))}`)
  return fraction
}

/** ISO text, or seconds or milliseconds since 1970. */
function readTime(answer: unknown, pointer: string): Date {
  const text = readText(answer, pointer)
  const isIso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)
  const isNumber = /^\d{9,14}(\.\d+)?$/.test(text)
  // Seconds reach 10^11 in the year 5138; milliseconds passed it in 1973.
  const epochMs = Number(text) < 1e11 ? Number(text) * 1_000 : Number(text)
  const at = isIso
    ? new Date(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`)
    : new Date(epochMs)
  if ((isIso || isNumber) && !Number.isNaN(at.getTime())) return at
  throw new SourceProblem(`not a time: ${pointer} is ${JSON.stringify(shorten(text))}`)
}

function readText(answer: unknown, pointer: string): string {
  const value = findAt(answer, pointer)
  if (value === undefined) throw new SourceProblem(`missing: the answer has no ${pointer}`)
  if (typeof value !== 'string')
    throw new SourceProblem(`not a number: ${pointer} is not a single value`)
  return value.trim()
}

/** RFC 6901. Undefined if there is nothing. */
function findAt(document: unknown, pointer: string): unknown {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    return (value as Record<string, unknown>)[step]
  }, document)
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
