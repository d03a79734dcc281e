/**
 * Invoices and payments the slow way, to compare the service with. It is written from the published
 * rules and shares no code with the service: an invoice is a row of single units, each with the date
 * on which it falls due, and a payment pays unit by unit.
 */

type Unit = { invoice: string; place: number; day: number; payer: string | undefined }

export type OraclePayment = { name: string; units: number; towards: string | 'anything' }

export class OracleCustomer {
  #units: Unit[] = []
  #invoices: string[] = []
  credit = 0

  /** Credit pays the units that fall due first. Returns how many it paid. */
  applyCredit(invoice: string): number {
    let paid = 0
    for (const unit of this.#unpaidOf(invoice)) {
      if (this.credit === 0) break
      unit.payer = 'credit'
      this.credit -= 1
      paid += 1
    }
    return paid
  }

  add(invoice: string, instalments: { units: number; day: number }[]): void {
    this.#invoices.push(invoice)
    let place = 0
    for (const { units, day } of [...instalments].sort((one, other) => one.day - other.day))
      for (let count = 0; count < units; count += 1) {
        this.#units.push({ invoice, place, day, payer: undefined })
        place += 1
      }
  }

  pay({ name, units, towards }: OraclePayment): void {
    const payable = this.#choose(units, towards)
    for (let paid = 0; paid < units; paid += 1) {
      const unit = payable[paid]
      if (unit) unit.payer = name
      else this.credit += 1
    }
  }

  #choose(units: number, towards: string): Unit[] {
    if (towards !== 'anything') return this.#unpaidOf(towards)
    const open = this.#invoices
      .map((invoice) => this.#unpaidOf(invoice))
      .filter((unpaid) => unpaid.length > 0)
    // Sorting keeps the order of finalization for equal days.
    const oldestFirst = open.sort(([one], [other]) => one!.day - other!.day)
    const whole = oldestFirst.find((unpaid) => unpaid.length === units)
    if (whole) return whole
    const part = oldestFirst.find((unpaid) => firstDays(unpaid) === units)
    if (part) return part
    return oldestFirst
      .flat()
      .sort((one, other) => one.day - other.day || this.#orderOf(one) - this.#orderOf(other))
  }

  #orderOf({ invoice }: Unit): number {
    return this.#invoices.indexOf(invoice)
  }

  #unpaidOf(invoice: string): Unit[] {
    return this.#units.filter((unit) => unit.invoice === invoice && unit.payer === undefined)
  }

  dueOf(invoice: string): number {
    return this.#unpaidOf(invoice).length
  }

  paidBy(name: string): Map<string, number> {
    const paid = new Map<string, number>()
    for (const { invoice, payer } of this.#units)
      if (payer === name) paid.set(invoice, (paid.get(invoice) ?? 0) + 1)
    return paid
  }
}

/** How many units the next instalment still needs; instalments of one day are one here. */
function firstDays(unpaid: Unit[]): number {
  return unpaid.filter(({ day }) => day === unpaid[0]!.day).length
}
