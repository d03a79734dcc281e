import { strict as assert } from 'node:assert'
import { koboOfNaira, nairaOfKobo } from '../bank/naira.js'
import { Unreadable } from '../bank/provider-client.js'
import { needText } from '../bank/read-fields.js'

/** Kobo of naira that Monnify wrote as a number or in quotes. */
export function needKobo(written: unknown, name: string): bigint {
  const kobo = koboOfNaira(needText(written, name))
  if (kobo === undefined) throw new Unreadable(`monnify: ${name} is no exact amount`)
  return kobo
}

/** The JSON number of an amount in naira. It is read back to prove that no kobo was lost. */
export function toNairaNumber(kobo: bigint): number {
  const number = Number(nairaOfKobo(kobo))
  assert(koboOfNaira(String(number)) === kobo, 'an amount in naira fits a JSON number')
  return number
}
