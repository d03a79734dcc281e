type Fields = Record<string, unknown>

/** A column of a list. It shows the first of its fields that a row has. */
type Column = {
  head: string
  fields: string[]
  /** Shown instead if the terminal is narrow: a code instead of a sentence. */
  narrowFields: string[]
}

/** The columns of a list: the first `kept` ones are shown however narrow the terminal is. */
export type Columns = {
  all: Column[]
  kept: number
  /** Shortened before a kept column is lost. */
  shrinking: string | undefined
  hasSeconds: boolean
}

/** Columns by their head: a field of the API, or one of `people` or `sentences`. */
type Layout = { kept: string[]; next: string[]; shrinking: string[]; hasSeconds?: boolean }

/** Who paid or is paid. Bank and coin rows of one list share a column. */
const people: Record<string, string[]> = {
  payer: ['sender.name', 'sender.address', 'sender.accountNumber'],
  recipient: [
    ...['destination.accountName', 'destination.address', 'destination.accountNumber'],
    ...['accountName', 'destinationAddress'],
  ],
  customer: ['customer.name'],
  counterparty: ['counterparty.name', 'counterparty.address', 'counterparty.accountNumber'],
}

/** What is wrong with a row, as a sentence and, for narrow terminals, as a code. */
const sentences: Record<string, { fields: string[]; narrowFields: string[] }> = {
  problem: { fields: ['problem.message', 'problem'], narrowFields: ['problem.reason', 'problem'] },
  warnings: { fields: ['warnings.message'], narrowFields: ['warnings.code'] },
}

const identifiers = ['reference', 'accountReference', 'id', 'eventId', 'endpointId']
const times = ['createdAt', 'timestamp', 'at', 'eventCreatedAt', 'from']

const layouts: Record<string, Layout> = {
  'requestLogs.list': {
    kept: ['createdAt', 'method', 'path', 'status', 'requestId'],
    next: ['reason', 'code', 'durationMs', 'keyName'],
    shrinking: ['path'],
    hasSeconds: true,
  },
  'timeline.get': {
    kept: ['at', 'title', 'amount'],
    next: ['reference', 'kind'],
    shrinking: ['title'],
    hasSeconds: true,
  },
  'search.list': {
    kept: ['reference', 'kind', 'title', 'status'],
    next: ['subtitle'],
    shrinking: ['title'],
  },
  'conversions.list': {
    kept: ['reference', 'createdAt', 'sourceAmount', 'targetAmount'],
    next: ['to', 'from', 'rate', 'fee', 'transferReference'],
    shrinking: [],
  },
  'paymentLinks.list': {
    kept: ['reference', 'slug', 'status', 'amount', 'uses'],
    next: ['description', 'url', 'createdAt'],
    shrinking: ['description'],
  },
  'customers.list': {
    kept: ['reference', 'name', 'email', 'externalReference'],
    next: ['createdAt', 'phone'],
    shrinking: ['name', 'email', 'externalReference'],
  },
  'customers.statement': {
    kept: ['number', 'at', 'type', 'amount', 'balance'],
    next: ['invoice', 'payment', 'refund'],
    shrinking: [],
  },
  'invoices.list': {
    kept: ['reference', 'number', 'status', 'total', 'amountDue'],
    next: ['dueAt', 'customer', 'createdAt'],
    shrinking: [],
  },
  'recipients.list': {
    kept: ['reference', 'kind', 'status', 'accountName', 'label'],
    next: ['bankName', 'accountNumber', 'address', 'firstPaidAt', 'createdAt'],
    shrinking: ['accountName', 'label', 'address'],
  },
  'cases.list': {
    kept: ['reference', 'kind', 'status', 'title', 'deadline'],
    next: ['createdAt', 'assignee.name', 'externalReference', 'outcome'],
    shrinking: ['title', 'externalReference'],
  },
  'claims.list': {
    kept: ['reference', 'createdAt', 'status', 'amount', 'merchantReference'],
    next: ['expiresAt', 'recipientName', 'payout', 'description'],
    shrinking: ['merchantReference', 'description'],
  },
  'invoiceSchedules.list': {
    kept: ['reference', 'status', 'frequency', 'nextOn', 'total'],
    next: ['customer', 'runs', 'endsOn', 'createdAt'],
    shrinking: [],
  },
  'mails.list': {
    kept: ['reference', 'kind', 'status', 'recipient', 'createdAt'],
    next: ['subject', 'attempts', 'lastError'],
    shrinking: ['subject', 'recipient'],
  },
  'mailSuppressions.list': {
    kept: ['reference', 'address', 'reason', 'createdAt'],
    next: ['detail'],
    shrinking: ['detail'],
  },
  'subaccounts.list': {
    kept: ['reference', 'name', 'status', 'externalReference'],
    next: ['createdAt', 'email'],
    shrinking: ['name', 'externalReference'],
  },
  'splitRules.list': {
    kept: ['reference', 'createdAt', 'name', 'version'],
    next: ['asset', 'feeBearer'],
    shrinking: ['name'],
  },
  'virtualAccounts.list': {
    kept: ['reference', 'createdAt', 'status', 'amount', 'merchantReference'],
    next: ['accountNumber', 'bankName', 'accountName'],
    shrinking: ['merchantReference'],
  },
  'dedicatedAccounts.list': {
    kept: ['accountReference', 'createdAt', 'status', 'externalReference'],
    next: ['accountNumber', 'accountName'],
    shrinking: ['externalReference'],
  },
  'batches.items': {
    kept: ['row', 'status', 'amount', 'accountNumber', 'recipient', 'problem', 'warnings'],
    next: ['merchantReference', 'transferReference', 'transferStatus'],
    shrinking: ['recipient'],
  },
}

/** What people look for first; then the other scalar fields, as the API orders them. */
export function listColumns(rows: Fields[], operation = ''): Columns {
  const has = (head: string) =>
    fieldsOf(head).some((field) => rows.some((row) => isShown(readField(row, field))))
  const { kept, next, shrinking, hasSeconds = false } = layouts[operation] ?? chooseLayout(has)
  const first = kept.filter(has)
  const shown = [...first, ...next.filter(has)]
  const isUsed = new Set(shown.flatMap(fieldsOf))
  // An amount is written with its unit.
  if (isUsed.has('amount')) for (const name of ['currency', 'asset']) isUsed.add(name)
  const names = new Set(rows.flatMap((row) => Object.keys(row)))
  const others = [...names].filter(
    (name) => !isUsed.has(name) && has(name) && rows.every((row) => !isNested(row[name])),
  )
  return {
    all: [...shown, ...others].map((head) => {
      const fields = fieldsOf(head)
      return { head, fields, narrowFields: sentences[head]?.narrowFields ?? fields }
    }),
    kept: first.length,
    shrinking: shrinking.find((head) => first.includes(head)),
    hasSeconds,
  }
}

function chooseLayout(has: (head: string) => boolean): Layout {
  const one = (heads: string[]) => heads.filter(has).slice(0, 1)
  const names = one(Object.keys(people))
  return {
    kept: [...one(identifiers), ...one(times), 'type', 'status', 'amount', ...names],
    next: ['balanceAfter', 'merchantReference', 'externalReference'],
    shrinking: names,
  }
}

function fieldsOf(head: string): string[] {
  return people[head] ?? sentences[head]?.fields ?? [head]
}

/** `sender.name` of a row; of a list, such as `warnings.code`, all of them. */
export function readField(row: Fields, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>(
      (at, part) =>
        Array.isArray(at) ? joinField(at, part) : (at as Fields | null | undefined)?.[part],
      row,
    )
}

function joinField(list: Fields[], part: string): string | undefined {
  return list.map((one) => one[part]).join(' ') || undefined
}

function isShown(value: unknown): boolean {
  return value !== null && value !== undefined && !isNested(value)
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
