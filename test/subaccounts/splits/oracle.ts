/**
 * Splits payments the slow way, to compare the service with. It is written from the published rules
 * and shares no code with the service: parties hold money that changes hands in steps, fractions
 * are carried from party to party, and small amounts are dealt out unit by unit.
 */

export type OracleLine = {
  who: string
  takes: { flat: bigint } | { hundredthsOfPercent: number } | 'rest'
  least?: bigint | undefined
  most?: bigint | undefined
}

export type OracleCase = {
  lines: OracleLine[]
  bearer: 'merchant' | 'subaccounts' | 'all' | { who: string }
  accepted: bigint
  fee: bigint
}

export type Party = { got: bigint; bore: bigint }

/** The parties in the order of the lines, the merchant last. */
export function splitByHand({ lines, bearer, accepted, fee }: OracleCase): Party[] {
  const parties: Party[] = [...lines, 'merchant'].map(() => ({ got: 0n, bore: 0n }))
  const merchant = parties[lines.length]!
  let pot = accepted
  // The merchant puts the fee that it bears aside before anybody is given anything.
  if (bearer === 'merchant') {
    merchant.got += fee
    merchant.bore += fee
    pot -= fee
  }
  for (let place = 0; place < lines.length; place += 1) {
    let claim = claimOf(lines[place]!, accepted, pot)
    while (claim > pot) claim = pot
    pot -= claim
    parties[place]!.got += claim
  }
  merchant.got += pot
  if (bearer === 'merchant') return parties

  let unpaid = fee
  const payers = parties.filter((_, place) => {
    if (bearer === 'all') return true
    if (place === lines.length) return false
    return bearer === 'subaccounts' || lines[place]!.who === bearer.who
  })
  const wealth = payers.reduce((total, { got }) => total + got, 0n)
  const together = unpaid > wealth ? wealth : unpaid
  deal(together, payers)
  unpaid -= together
  for (const party of [merchant, ...parties.slice(0, -1).reverse()]) {
    const purse = party.got - party.bore
    const pays = unpaid > purse ? purse : unpaid
    party.bore += pays
    unpaid -= pays
  }
  if (unpaid !== 0n) throw new Error('the fee is more than the payment')
  return parties
}

function claimOf({ takes, least, most }: OracleLine, accepted: bigint, pot: bigint): bigint {
  if (takes === 'rest') return pot
  let claim: bigint
  if ('flat' in takes) claim = takes.flat
  else {
    const tenThousandths = accepted * BigInt(takes.hundredthsOfPercent)
    claim = (tenThousandths - (tenThousandths % 10_000n)) / 10_000n
  }
  // The middle one of lower bound, claim and upper bound; no claim reaches the bound that is absent.
  const bounds = [least ?? -1n, claim, most ?? 10n ** 30n]
  return bounds.sort((left, right) => (left < right ? -1 : 1))[1]!
}

/** The total is borne in proportion to what the payers got. */
function deal(total: bigint, payers: Party[]): void {
  if (total === 0n) return
  if (total <= 50n) dealUnits(total, payers)
  else dealWithCarry(total, payers)
}

/** Each unit is borne by the first payer up to whom the payers have that many units to bear. */
function dealUnits(total: bigint, payers: Party[]): void {
  const wealth = payers.reduce((sum, { got }) => sum + got, 0n)
  let place = 0
  let reached = payers[0]!.got
  for (let unit = 1n; unit <= total; unit += 1n) {
    while (total * reached < unit * wealth) {
      place += 1
      reached += payers[place]!.got
    }
    payers[place]!.bore += 1n
  }
}

/** Each payer bears whole units; the fraction that is left is handed to the next one. */
function dealWithCarry(total: bigint, payers: Party[]): void {
  const wealth = payers.reduce((sum, { got }) => sum + got, 0n)
  let fraction = 0n
  for (const payer of payers) {
    const exact = total * payer.got + fraction
    fraction = exact % wealth
    payer.bore += (exact - fraction) / wealth
  }
}

/**
 * What has been taken back of a share once so much was refunded: the largest whole number of units
 * whose part of the share is not above the refunded part of the payment.
 */
export function takenBackByHand(share: bigint, refunded: bigint, accepted: bigint): bigint {
  if (share > 50n) {
    const exact = share * refunded
    return (exact - (exact % accepted)) / accepted
  }
  let units = 0n
  while (units < share && (units + 1n) * accepted <= share * refunded) units += 1n
  return units
}
