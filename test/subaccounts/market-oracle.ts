import { type OracleCase, splitByHand, takenBackByHand } from './splits/oracle.js'

/**
 * The books of a merchant and its sellers, kept by hand to compare the service with. It is written
 * from the published rules and shares no code with the service: purses hold money, and every rule
 * moves some from one purse to another.
 */

type Purse = { spendable: bigint; waiting: bigint; debt: bigint }

type OracleShare = {
  who: string
  got: bigint
  /** Credited: less the fee that it bore. */
  credited: bigint
  given: bigint
  givenFromWaiting: bigint
  /** Day of its release; undefined once it is credited. */
  releasedOn: number | undefined
}

type OraclePayment = {
  kept: bigint
  shares: OracleShare[]
  /** What refunds in proportion divide since something else changed the payment. */
  proportion: { whole: bigint; parts: bigint[]; spared: bigint[] } | undefined
}

type Given = { share: OracleShare; fromWaiting: bigint; fromPurse: bigint; asDebt: bigint }

export class MarketOracle {
  merchant = 0n
  day = 0
  readonly purses = new Map<string, Purse>()
  readonly payments = new Map<string, OraclePayment>()
  readonly seen = { debts: 0, recovered: 0, released: 0, scaled: 0, restarted: 0 }

  addSeller(who: string): void {
    this.purses.set(who, { spendable: 0n, waiting: 0n, debt: 0n })
  }

  /** `releases` has the days until the release of each line, or undefined. */
  pay(name: string, given: OracleCase, releases: (number | undefined)[]): void {
    const parties = splitByHand(given)
    const shares: OracleShare[] = []
    this.merchant += given.accepted - given.fee
    for (const [place, line] of given.lines.entries()) {
      const { got, bore } = parties[place]!
      if (got === bore) continue
      const days = releases[place]
      const credited = got - bore
      this.merchant -= credited
      if (days === undefined) this.#credit(line.who, credited)
      else this.#purse(line.who).waiting += credited
      shares.push({
        who: line.who,
        got,
        credited,
        given: 0n,
        givenFromWaiting: 0n,
        releasedOn: days === undefined ? undefined : this.day + days,
      })
    }
    this.payments.set(name, { kept: given.accepted, shares, proportion: undefined })
  }

  /** Moves money of the merchant, or of a seller, to the merchant or another seller. */
  move(from: string | undefined, to: string | undefined, amount: bigint): void {
    if (from === undefined) this.merchant -= amount
    else this.#purse(from).spendable -= amount
    if (to === undefined) this.merchant += amount
    else this.#credit(to, amount)
  }

  nextDay(): void {
    this.day += 1
    for (const { shares } of this.payments.values())
      for (const share of shares) {
        if (share.releasedOn === undefined || share.releasedOn > this.day) continue
        share.releasedOn = undefined
        const left = share.credited - share.givenFromWaiting
        this.#purse(share.who).waiting -= left
        this.#credit(share.who, left)
        this.seen.released += 1
      }
  }

  refund(name: string, amount: bigint, named?: Map<string, bigint>): Given[] {
    const payment = this.payments.get(name)!
    const wanted = named ? askNamed(payment, named) : this.#askInProportion(payment, amount)
    const given = payment.shares.map((share, place) => this.#take(share, wanted[place]!))
    payment.kept -= amount
    this.merchant -= amount
    return given
  }

  /** The bank did not take the refund: everything goes back to where it was. */
  failRefund(name: string, amount: bigint, given: Given[]): void {
    this.payments.get(name)!.kept += amount
    this.merchant += amount
    for (const { share, asDebt } of given) this.#purse(share.who).debt -= asDebt
    for (const { share, fromWaiting, fromPurse, asDebt } of given) {
      share.given -= fromWaiting + fromPurse + asDebt
      share.givenFromWaiting -= fromWaiting
      this.#purse(share.who).waiting += fromWaiting
      this.merchant -= fromWaiting + fromPurse
      this.#credit(share.who, fromPurse)
    }
  }

  #purse(who: string): Purse {
    return this.purses.get(who)!
  }

  /** Every credit pays the debt first. */
  #credit(who: string, amount: bigint): void {
    const purse = this.#purse(who)
    let left = amount
    if (purse.debt > 0n && left > 0n) {
      const paid = left > purse.debt ? purse.debt : left
      purse.debt -= paid
      this.merchant += paid
      left -= paid
      this.seen.recovered += 1
    }
    purse.spendable += left
  }

  /** From what waits for its release, then from the purse; the rest is owed. */
  #take(share: OracleShare, wanted: bigint): Given {
    const purse = this.#purse(share.who)
    let open = wanted
    const takeUpTo = (most: bigint) => {
      const taken = open > most ? most : open
      open -= taken
      return taken
    }
    const waits = share.releasedOn !== undefined
    const fromWaiting = takeUpTo(waits ? share.credited - share.givenFromWaiting : 0n)
    const fromPurse = takeUpTo(purse.spendable)
    const asDebt = open
    share.given += wanted
    share.givenFromWaiting += fromWaiting
    purse.waiting -= fromWaiting
    purse.spendable -= fromPurse
    purse.debt += asDebt
    this.merchant += fromWaiting + fromPurse
    if (asDebt > 0n) this.seen.debts += 1
    return { share, fromWaiting, fromPurse, asDebt }
  }

  #askInProportion(payment: OraclePayment, amount: bigint): bigint[] {
    if (!isUnchanged(payment)) this.#restart(payment)
    const { whole, parts, spared } = payment.proportion!
    return payment.shares.map((share, place) => {
      const refunded = whole - payment.kept + amount
      const givenInAll = takenBackByHand(parts[place]!, refunded, whole)
      return share.got - share.given - spared[place]! - (parts[place]! - givenInAll)
    })
  }

  /** Sellers keep what the merchant gave beyond its part: they never give more than is refunded. */
  #restart(payment: OraclePayment): void {
    const left = payment.shares.map(({ got, given }) => got - given)
    const all = left.reduce((sum, part) => sum + part, 0n)
    let parts = left
    if (all > payment.kept) {
      let carried = 0n
      parts = left.map((part) => {
        const exact = part * payment.kept + carried
        carried = exact % all
        return (exact - carried) / all
      })
      this.seen.scaled += 1
    }
    if (payment.proportion) this.seen.restarted += 1
    const spared = left.map((part, place) => part - parts[place]!)
    payment.proportion = { whole: payment.kept, parts, spared }
  }
}

/** Whether shares have what refunds in proportion would have left of them. */
function isUnchanged({ kept, shares, proportion }: OraclePayment): boolean {
  if (!proportion || kept > proportion.whole) return false
  const { whole, parts, spared } = proportion
  return shares.every(({ got, given }, place) => {
    const left = parts[place]! - takenBackByHand(parts[place]!, whole - kept, whole)
    return got - given === spared[place]! + left
  })
}

/** From the first share of a seller first. */
function askNamed({ shares }: OraclePayment, named: Map<string, bigint>): bigint[] {
  const open = new Map(named)
  return shares.map(({ who, got, given }) => {
    const wanted = open.get(who) ?? 0n
    const taken = wanted > got - given ? got - given : wanted
    open.set(who, wanted - taken)
    return taken
  })
}
