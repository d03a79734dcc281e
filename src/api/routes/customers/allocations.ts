import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { referenceSample, withExample } from '../../../base/shapes.js'
import { getPayment } from '../../../collections/payments/find-payments.js'
import {
  findAllocationsOf,
  reallocatePayment,
} from '../../../collections/payments/reallocate-payment.js'
import { paymentAllocations, showAllocations } from '../../../customers/allocation-resource.js'
import { invoiceLimits } from '../../../customers/limits.js'
import { creatorOf } from '../../auth/creator-of.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { readAnyAmount } from '../../parse/read-coins.js'
import { closed, decimalInput, inPath, koboInput, lineOfText } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { successText } from '../../server/envelope.js'
import { type Route, route } from '../../server/route.js'

const path = '/v1/collections/payments/:reference/allocations'
const base = { access: 'secret', tag: 'Customers', path } as const
const params = inPath('reference', referenceSample(prefixes.payment))
const ofNoCustomer = withReasons('payment_action_failed', 'invalid_state')

export function allocationRoutes(api: ApiParts): Route[] {
  return [read(api), change(api)]
}

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    permission: 'customers.see',
    operation: 'getPaymentAllocations',
    summary: 'Retrieve what a payment paid',
    description:
      'Returns which invoices a payment of a customer paid, and what of it is credit. Payments that belong to no customer have none.',
    params,
    answers: { 200: paymentAllocations },
    refusals: ['not_found', ...ofNoCustomer],
    async handle({ environment, params: { reference } }) {
      const found = await findAllocationsOf(db, { environmentId: environment.id, reference })
      return successText(200, 'Allocations of the payment', showAllocations(found))
    },
  })

const body = withExample(
  closed({
    allocations: Type.Array(
      closed({
        invoice: Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Reference of an invoice of the customer.',
          examples: [referenceSample(prefixes.invoice)],
        }),
        amount: Type.Union([koboInput, decimalInput], {
          description: 'How much it pays: kobo for NGN, a decimal for coins.',
          examples: [450_000],
        }),
      }),
      {
        maxItems: invoiceLimits.allocationsMax,
        description:
          'All invoices that the payment pays, each once. What they leave becomes credit.',
        examples: [[]],
      },
    ),
    reason: Type.Optional(
      lineOfText(invoiceLimits.descriptionLengthMax, {
        description: 'Why; your team sees it.',
        examples: ['It was meant for the January rent'],
      }),
    ),
  }),
  { allocations: [], reason: 'It was meant for another invoice' },
)

const change = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    permission: 'customers.change',
    operation: 'changePaymentAllocations',
    summary: 'Change what a payment paid',
    description:
      'Says which invoices the payment pays instead, and what of it is credit. What is taken from an invoice is due again (`invoice.payment_moved`). At most what is due goes to an invoice, and credit that was used or refunded cannot be taken. No money moves. Repeating it changes nothing.',
    params,
    body,
    answers: { 200: paymentAllocations },
    refusals: ['not_found', ...ofNoCustomer],
    async handle(request) {
      const { environment, now, params, body: sent } = request
      const name = { environmentId: environment.id, ...params }
      const { asset } = await getPayment(api.db, name)
      const wanted = {
        ...creatorOf(request),
        reason: sent.reason ?? null,
        invoices: sent.allocations.map(({ invoice, amount }, index) => ({
          reference: invoice,
          amount: readAnyAmount(`allocations.${index}.amount`, amount, asset),
        })),
      }
      return api.change(
        request,
        (tx, realNow) => reallocatePayment(tx, { now, realNow }, name, wanted),
        (changed) => successText(200, 'Allocations changed', showAllocations(changed)),
      )
    },
  })
