import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import type { Program } from '../support/program.js'
import type { Random } from '../support/seed.js'
import type { openSmtpServer } from '../support/smtp-server.js'
import { expectedRefusals, takeBillingTurn } from './billing-operations.js'
import { proveBilling } from './billing-proof.js'
import { type BillingScene, openBillingSite, openCustomers } from './billing-site.js'
import { type Crew, startCrew, stopCrew } from './crew.js'
import { identifyAt } from './funded-merchant.js'
import type { Journal } from './journal.js'
import { JournalCallers } from './journal-callers.js'
import { reversingSerial } from './split-site.js'
import { stormUntil, untilAtRest } from './storm-loop.js'

type Storm = {
  db: Database
  relay: Awaited<ReturnType<typeof openSmtpServer>>
  journal: Journal
  random: Random
  operations: number
  kills: number
  connections: number
  apis: number
  workers: number
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

/**
 * Invoices, payments, refunds, schedules, claims and their mails, while API and worker processes are killed. At
 * the end everything comes to rest and is compared. Returns what is wrong.
 */
export async function runBillingStorm(storm: Storm): Promise<string[]> {
  const { relay } = storm
  const site = await openBillingSite(storm.db, relay.received)
  const variables = { SMTP_URL: relay.url, MAIL_FROM: 'Manilla <no-reply@pay.example>' }
  const crew = await startCrew({ ...storm, secret: site.secret, variables })
  const callers = new JournalCallers({
    urls: crew.urls,
    journal: storm.journal,
    identify: identifyAt(site),
    expectedRefusals,
  })
  const scene = { ...storm, site, crew, callers }
  return run(scene).finally(() => stopCrew(crew))
}

async function run(scene: Storm & BillingScene & { crew: Crew }): Promise<string[]> {
  const { journal, site, kills, operations, say } = scene
  await openCustomers(scene)
  const loop = {
    ...scene,
    takeTurn: () => takeBillingTurn(scene),
    countOpen: () => countOpen(site.db),
  }
  await stormUntil(loop, kills)
  say(`${journal.acknowledged} of ${operations} acknowledged; coming to rest`)
  await untilAtRest(loop)
  const violations = await proveBilling(scene)
  await describe(scene)
  return violations
}

type Figures = {
  invoices: number
  paid: number
  partlyPaid: number
  voided: number
  credits: number
  allocations: number
  scheduled: number
  moved: number
  claims: number
  claimed: number
  reopened: number
  expired: number
  cancelled: number
  mails: number
  taken: number
  givenBack: number
}

/** What happened in the storm; each kind must have. */
async function describe({ site: { db }, say }: Storm & BillingScene): Promise<void> {
  const [figures] = await db.rows(sql<Figures>`
    select (select count(*) from invoices)::int as invoices,
      (select count(*) from invoices where status = 'PAID')::int as paid,
      (select count(*) from invoices where status = 'PARTIALLY_PAID')::int as partly_paid,
      (select count(*) from invoices where status = 'VOID')::int as voided,
      (select count(*) from customer_credit_entries)::int as credits,
      (select count(*) from payment_allocations)::int as allocations,
      (select count(*) from invoices where schedule_id is not null)::int as scheduled,
      (select count(*) from allocation_moves)::int as moved,
      (select count(*) from claims)::int as claims,
      (select count(*) from claims where status = 'CLAIMED')::int as claimed,
      (select count(*) from claims where openings > 1)::int as reopened,
      (select count(*) from claims where status = 'EXPIRED')::int as expired,
      (select count(*) from claims where status = 'CANCELLED')::int as cancelled,
      (select count(*) from mails)::int as mails,
      (select count(*) from allocation_refunds)::int as taken,
      (select count(*) from allocation_refunds where state = 'GIVEN_BACK')::int as given_back`)
  const named = Object.entries(figures!)
  say(named.map(([name, count]) => `${name}: ${count}`).join(', '))
  const missing = named.filter(([, count]) => Number(count) === 0).map(([name]) => name)
  if (missing.length > 0) throw new Error(`the storm had none of these: ${missing.join(', ')}`)
}

async function countOpen(db: Database): Promise<Record<string, number>> {
  const reversing = `${reversingSerial}%`
  const [open] = await db.rows(sql<Record<string, number>>`
    select (select count(*) from payment_returns where state in ('WAITING', 'SENT'))::int as returns,
      (select count(*) from payouts where status in ('PENDING', 'SUBMITTED')
        or (status = 'COMPLETED' and destination ->> 'accountNumber' like ${reversing})
      )::int as payouts,
      (select count(*) from invoice_schedules where due_at <= now())::int as schedules,
      (select count(*) from invoice_deadlines where due_at <= now())::int as deadlines,
      (select count(*) from notices where state = 'WAITING')::int as notices,
      (select count(*) from mails where state = 'WAITING')::int as mails,
      (select count(*) from sandbox_payments s where not exists
        (select from payments p where p.rail_id = s.id))::int as unpaid`)
  return open!
}
